//go:build linux

package main

import "time"

// Compilers that do wrong. The user has to read which cell, what, and what to do.
func compilerRows() []row {
	var list []row
	for _, c := range []struct {
		name  string
		fault fault
		env   []string
		says  string
		code  int
	}{
		{"a compiler hangs, under KMX_TIMEOUT=2s", fault{What: hangs, Kernel: "mix"}, []string{"KMX_TIMEOUT=2s"}, "still running after 2s", 1},
		{"a compiler succeeds and writes nothing", fault{What: nothing, Kernel: "mix"}, nil, "FAILED.*mix", 1},
		{"a compiler does not list what it read", fault{What: noList, Kernel: "mix"}, nil, "FAILED.*mix", 1},
		{"a compiler reads what nobody declared", fault{What: wanders, Kernel: "mix"}, nil, "FAILED.*mix", 1},
		{"a compiler writes another GPU's object", fault{What: otherGPU, Kernel: "mix"}, nil, "FAILED.*mix", 1},
		{"a compiler writes garbage", fault{What: garbage, Kernel: "mix"}, nil, "FAILED.*mix", 1},
		{"a compiler writes half an object", fault{What: half, Kernel: "mix"}, nil, "FAILED.*mix", 1},
		{"a compiler crashes", fault{What: crashes, Kernel: "mix"}, nil, "FAILED.*mix", 1},
		{"a compiler is killed once, as for want of memory", fault{What: killedOnce}, nil, "tried again", 0},
		{"a compiler is killed each time", fault{What: killed, Kernel: "mix"}, nil, "FAILED.*mix", 1},
		{"a compiler says 100 MB and succeeds", fault{What: loud, Kernel: "mix"}, nil, "12 cells: 12 built", 0},
		{"a compiler says 100 MB and fails", fault{What: loudError, Kernel: "mix"}, nil, "FAILED.*mix", 1},
		{"a compiler leaves a process behind", fault{What: daemon, Kernel: "mix"}, nil, "12 cells: 12 built", 0},
	} {
		list = append(list, row{name: c.name, run: func(l *lab, o *outcome) {
			s, err := l.site("site")
			if !o.check(err) || !o.check(l.setFault(c.fault)) {
				return
			}
			s.env = append(s.env, c.env...)
			e := s.do("release")
			o.see(s, e, c.says, c.code)
			if e.took > time.Minute {
				o.problem("it takes %s", e.took.Round(time.Second))
			}
			if len(e.text) > 1<<20 {
				o.problem("it says %d bytes", len(e.text))
			}
			if c.fault.What == daemon {
				for _, left := range s.leftovers() {
					o.problem("%s", left)
				}
			}
			o.after(s, false)
		}})
	}
	return list
}
