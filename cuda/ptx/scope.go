package ptx

// scope knows which names are registers where that cannot be seen from the
// name: a name that begins with % is a register and any other is a symbol
// unless a declaration in force says otherwise.
type scope struct {
	register map[string]bool // exceptions and what shadows them
	ranges   map[string]int  // prefixes of register ranges without %: r of r<5>
	log      []change
}

// change is what a declaration replaced.
type change struct {
	name       string
	known, was bool // an entry of register
	isRange    bool
	count      int // an entry of ranges; 0: none
}

func (s *scope) mark() int { return len(s.log) }

// leave takes back every declaration since mark.
func (s *scope) leave(mark int) {
	for i := len(s.log) - 1; i >= mark; i-- {
		c := s.log[i]
		switch {
		case c.isRange && c.count == 0:
			delete(s.ranges, c.name)
		case c.isRange:
			s.ranges[c.name] = c.count
		case c.known:
			s.register[c.name] = c.was
		default:
			delete(s.register, c.name)
		}
	}
	s.log = s.log[:mark]
}

func (s *scope) declare(name string, register bool) {
	was, known := s.register[name]
	if !known && register == (name[0] == '%') {
		return
	}
	if s.register == nil {
		s.register = map[string]bool{}
	}
	s.log = append(s.log, change{name: name, known: known, was: was})
	s.register[name] = register
}

func (s *scope) declareRange(prefix string, count int) {
	if prefix[0] == '%' {
		return
	}
	if s.ranges == nil {
		s.ranges = map[string]int{}
	}
	s.log = append(s.log, change{name: prefix, isRange: true, count: s.ranges[prefix]})
	s.ranges[prefix] = count
}

func (s *scope) isRegister(name string) bool {
	if len(s.register) > 0 {
		if is, known := s.register[name]; known {
			return is
		}
	}
	if name[0] == '%' {
		return true
	}
	if len(s.ranges) > 0 {
		prefix, n, ok := splitNumber(name)
		return ok && n < s.ranges[prefix]
	}
	return false
}

// splitNumber splits %r12 into %r and 12. Numbers with leading zeros are no
// numbers of a register range.
func splitNumber(name string) (prefix string, n int, ok bool) {
	i := len(name)
	for i > 0 && class[name[i-1]]&cDigit != 0 {
		i--
	}
	digits := name[i:]
	if digits == "" || len(digits) > 9 || len(digits) > 1 && digits[0] == '0' {
		return name, 0, false
	}
	for _, c := range []byte(digits) {
		n = n*10 + int(c-'0')
	}
	return name[:i], n, true
}
