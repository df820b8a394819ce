package engine

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Jobserver shares out how many jobs all programs below one GNU make may run at a time (GNU make manual, "Sharing Job
// Slots with GNU make"). Each program has one job to itself; for every further one it takes a token, a byte from a pipe,
// and writes the same byte back when that job is over. A token that is not given back is lost to the whole make, so
// Close gives back what is left on every way out; only a program that is killed with SIGKILL loses some.
//
// Its methods may be called from any goroutine.
type Jobserver struct {
	Auth string // how MAKEFLAGS names it: "fifo:/tmp/GMfifo71", "3,4"
	Jobs int    // make's -j; 0 when MAKEFLAGS does not tell

	pipe *tokenPipe
	want chan struct{} // a token is asked for
	done chan struct{} // nothing waits for tokens any more

	mu     sync.Mutex
	held   []byte
	got    func(error) // what to call with the next token; nil: it is not wanted any more
	taking bool        // it is waited for all the same
	closed bool
}

// A JobserverError tells that there is a jobserver which cannot be used.
type JobserverError struct {
	Auth string
	Why  string
	// Unmarked: make runs the recipe as one that starts no jobs of its own. It does so unless the line begins with +
	// or names $(MAKE).
	Unmarked bool
}

func (e *JobserverError) Error() string {
	return fmt.Sprintf("the jobserver of make (MAKEFLAGS has --jobserver-auth=%s) cannot be used: %s", e.Auth, e.Why)
}

// OpenJobserver opens the jobserver that the value of MAKEFLAGS names; nil without an error when it names none. The
// error is a *JobserverError.
func OpenJobserver(makeflags string) (*Jobserver, error) {
	auth, jobs := readMakeflags(makeflags)
	if auth == "" {
		return nil, nil
	}
	pipe, err := openTokens(auth)
	if err != nil {
		err.Auth = auth
		return nil, err
	}
	s := &Jobserver{Auth: auth, Jobs: jobs, pipe: pipe, want: make(chan struct{}, 1), done: make(chan struct{})}
	go s.serve()
	return s, nil
}

// Take asks for a token. got is called once, from another goroutine: without an error when there is one more in Held;
// with one when there will be none any more; never after Drop or Close. Only one may be asked for at a time.
func (s *Jobserver) Take(got func(error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.got = got
	if !s.taking {
		s.taking = true
		s.want <- struct{}{}
	}
}

// Drop gives back all tokens, and the one that is asked for when it comes.
func (s *Jobserver) Drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
}

func (s *Jobserver) drop() {
	s.got = nil
	s.keep(0)
}

// Held is the number of tokens that are to be given back.
func (s *Jobserver) Held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.held)
}

// Keep gives back all tokens but n.
func (s *Jobserver) Keep(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(n)
}

func (s *Jobserver) keep(n int) {
	for len(s.held) > n {
		last := len(s.held) - 1
		s.pipe.give(s.held[last])
		s.held = s.held[:last]
	}
}

// Close gives back all tokens and takes no more. Closing twice is harmless.
func (s *Jobserver) Close() {
	s.mu.Lock()
	if !s.closed {
		s.drop()
		s.closed = true
		close(s.want)
		s.pipe.wake()
	}
	s.mu.Unlock()
	// One may be on its way from the pipe. Only where the pipe could not be opened anew the wait for it may have no end.
	select {
	case <-s.done:
	case <-time.After(time.Second):
	}
}

// serve waits for tokens, which nothing else here does. One that nobody wants any more goes straight back.
func (s *Jobserver) serve() {
	defer close(s.done)
	defer s.pipe.close()
	for range s.want {
		token, err := s.pipe.take()
		s.mu.Lock()
		got := s.got
		s.got, s.taking = nil, false
		if err == nil {
			if s.held = append(s.held, token); got == nil {
				s.keep(len(s.held) - 1)
			}
		}
		s.mu.Unlock()
		if got != nil {
			got(err)
		}
	}
}

// readMakeflags finds the jobserver and the number of jobs in MAKEFLAGS. Blanks and backslashes in a word stand behind a
// backslash; behind "--" come variables. The last of several jobservers counts, as a make below another adds its own;
// before version 4.2 the option was called --jobserver-fds.
func readMakeflags(text string) (auth string, jobs int) {
	for _, word := range makeWords(text) {
		if word == "--" {
			break
		}
		name, value, _ := strings.Cut(word, "=")
		switch {
		case name == "--jobserver-auth" || name == "--jobserver-fds":
			auth = value
		case strings.HasPrefix(word, "-j"):
			jobs = 0
			if n, err := strconv.Atoi(word[2:]); err == nil && n > 0 {
				jobs = n
			}
		}
	}
	return auth, jobs
}

func makeWords(text string) []string {
	var words []string
	var word []byte
	inside := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == ' ' || c == '\t':
			if inside {
				words = append(words, string(word))
			}
			word, inside = word[:0], false
			continue
		case c == '\\' && i+1 < len(text), c == '$' && i+1 < len(text) && text[i+1] == '$':
			i++
		}
		word, inside = append(word, text[i]), true
	}
	if inside {
		words = append(words, string(word))
	}
	return words
}
