//go:build unix

package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// made is a jobserver as make has it, with these tokens: of either sort.
func made(t *testing.T, sort, tokens string) (makeflags string, left func() string) {
	t.Helper()
	var read, write int
	auth := ""
	if sort == "fifo" {
		path := filepath.Join(t.TempDir(), "GM fifo")
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		fd, err := unix.Open(path, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		read, write, auth = fd, fd, "fifo:"+strings.ReplaceAll(path, " ", `\ `)
	} else {
		var fds [2]int
		if err := unix.Pipe(fds[:]); err != nil {
			t.Fatal(err)
		}
		read, write, auth = fds[0], fds[1], fmt.Sprintf("%d,%d", fds[0], fds[1])
	}
	t.Cleanup(func() { unix.Close(read); unix.Close(write) })
	if _, err := unix.Write(write, []byte(tokens)); err != nil {
		t.Fatal(err)
	}
	return " -j9 --jobserver-auth=" + auth, func() string {
		flags, _ := unix.FcntlInt(uintptr(read), unix.F_GETFL, 0)
		if sort == "pipe" && flags&unix.O_NONBLOCK != 0 {
			t.Error("the mode of make's own end was changed")
		}
		_ = unix.SetNonblock(read, true)
		defer func() { _ = unix.SetNonblock(read, sort == "fifo") }()
		b := make([]byte, 100)
		n, err := unix.Read(read, b)
		if err != nil {
			n = 0
		}
		return string(b[:n])
	}
}

func jobserver(t *testing.T, makeflags string) *Jobserver {
	t.Helper()
	s, err := OpenJobserver(makeflags)
	if err != nil || s == nil {
		t.Fatalf("%v, %v", s, err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestTokensLimitWhatRuns(t *testing.T) {
	for _, sort := range []string{"fifo", "pipe"} {
		for _, tokens := range []string{"", "a", "abc"} {
			t.Run(sort+" "+tokens, func(t *testing.T) {
				p := newProject(t)
				makeflags, left := made(t, sort, tokens)
				s := jobserver(t, makeflags)
				// All that may run at a time do so once before the first of them ends.
				var mu sync.Mutex
				inside, full := 0, make(chan struct{})
				f := &fake{cache: p.cache, during: func(context.Context, *Job) error {
					mu.Lock()
					if inside++; inside == len(tokens)+1 {
						close(full)
					}
					mu.Unlock()
					<-full
					return nil
				}}
				p.o.Executor, p.o.Jobs, p.o.Jobserver = f, 0, s
				var nodes []*Node
				for i := range 12 {
					nodes = append(nodes, script(fmt.Sprint("n", i), fmt.Sprint(i)))
				}
				p.must(nodes...)
				if f.most != len(tokens)+1 || len(f.order) != 12 {
					t.Errorf("%d at a time, %d ran", f.most, len(f.order))
				}
				if e := p.events[0]; e.Jobs != 9 {
					t.Errorf("%d jobs", e.Jobs)
				}
				s.Close()
				if got := left(); !sameBytes(got, tokens) {
					t.Errorf("%q are left of %q", got, tokens)
				}
			})
		}
	}
}

// sameBytes: tokens come back in any order, each as it was.
func sameBytes(a, b string) bool {
	for _, c := range b {
		if strings.Count(a, string(c)) != strings.Count(b, string(c)) {
			return false
		}
	}
	return len(a) == len(b)
}

// Failure, interruption and the end of the program give everything back, also what comes too late.
func TestTokensComeBack(t *testing.T) {
	for _, keepGoing := range []bool{false, true} {
		p := newProject(t)
		makeflags, left := made(t, "fifo", "ab")
		s := jobserver(t, makeflags)
		three := make(chan struct{}, 3)
		ctx, cancel := context.WithCancel(context.Background())
		p.o.Executor = &fake{cache: p.cache, during: func(ctx context.Context, j *Job) error {
			three <- struct{}{}
			switch {
			case j.Label == "bad":
				for len(three) < 3 {
					select {
					case <-ctx.Done():
						return ctx.Err()
					default:
					}
				}
				if keepGoing {
					cancel()
				}
				return errors.New("broken")
			default:
				<-ctx.Done()
				return ctx.Err()
			}
		}}
		p.o.Jobs, p.o.Jobserver, p.o.KeepGoing = 9, s, keepGoing
		results, err := p.run(ctx, script("bad", "1"), script("x", "2"), script("y", "3"), script("z", "4"))
		cancel()
		if err == nil || results[1].State != Cancelled {
			t.Errorf("%s, %v", states(results), err)
		}
		if s.Held() != 0 {
			t.Errorf("%d tokens are held after the run", s.Held())
		}
		s.Close()
		if got := left(); !sameBytes(got, "ab") {
			t.Errorf("%q are left", got)
		}
	}
}

func TestTokenThatComesTooLate(t *testing.T) {
	for _, late := range []string{"dropped", "closed"} {
		makeflags, left := made(t, "fifo", "")
		s := jobserver(t, makeflags)
		s.Take(func(error) { t.Error("it was wanted") })
		s.Drop()
		if late == "closed" {
			s.Close()
		}
		path := strings.ReplaceAll(strings.TrimPrefix(s.Auth, "fifo:"), `\`, "")
		if err := os.WriteFile(path, []byte("t"), 0); err != nil {
			t.Fatal(err)
		}
		if late == "dropped" {
			// What is wanted next gets it, whoever has had it meanwhile.
			got := make(chan error)
			s.Take(func(err error) { got <- err })
			if err := <-got; err != nil || s.Held() != 1 {
				t.Errorf("%v, %d held", err, s.Held())
			}
			s.Close()
		}
		if got := left(); got != "t" {
			t.Errorf("%s: %q are left", late, got)
		}
	}
}

func TestJobserversThatCannotBeUsed(t *testing.T) {
	open := func(name string, flags int) string {
		fd, err := unix.Open(name, flags, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Close(fd) })
		return fmt.Sprint(fd)
	}
	pipe := func() (r, w string) {
		var fds [2]int
		if err := unix.Pipe(fds[:]); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Close(fds[0]); unix.Close(fds[1]) })
		return fmt.Sprint(fds[0]), fmt.Sprint(fds[1])
	}
	r, w := pipe()
	otherR, _ := pipe()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		auth, want string
		unmarked   bool
	}{
		{"-2,-2", "make keeps it from this recipe", true},
		{"1021,1022", "descriptor 1021 is closed", true},
		{open("/dev/null", unix.O_RDONLY) + "," + w, "is something else", true},
		{r + "," + open("/dev/null", unix.O_WRONLY), "is something else", true},
		{otherR + "," + w, "is something else", true},
		{w + "," + r, "is something else", true},
		{"fifo:/nonexistent/GMfifo1", "no such file", false},
		{"fifo:" + file, "is no named pipe", false},
		{"gmake_semaphore_71", "none that this system has", false},
	} {
		s, err := OpenJobserver("-j4 --jobserver-auth=" + c.auth)
		var bad *JobserverError
		if s != nil || !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) || bad.Unmarked != c.unmarked {
			t.Errorf("%s: %v", c.auth, err)
		}
	}
}
