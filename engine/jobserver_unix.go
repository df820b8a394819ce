//go:build unix

package engine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// tokenPipe is the pipe of a jobserver. Its read end, which other programs have as well, is never read before there is
// something in it, and where the system can open it anew a read that another program has forestalled does not wait
// either: the mode of the end that make has given may not be changed, as it is shared.
type tokenPipe struct {
	read, write  int
	woken, waker *os.File
}

func openTokens(auth string) (*tokenPipe, *JobserverError) {
	p := &tokenPipe{}
	var err *JobserverError
	if path, named := strings.CutPrefix(auth, "fifo:"); named {
		p.read, p.write, err = openFIFO(path)
	} else {
		p.read, p.write, err = inherited(auth)
	}
	if err != nil {
		return nil, err
	}
	var failed error
	if p.woken, p.waker, failed = os.Pipe(); failed != nil {
		_ = unix.Close(p.read)
		_ = unix.Close(p.write)
		return nil, &JobserverError{Why: failed.Error()}
	}
	return p, nil
}

// openFIFO opens a named pipe, as make has them since version 4.4. The read end comes first: without one the write end
// could not be opened, or would wait.
func openFIFO(path string) (read, write int, _ *JobserverError) {
	const mode = unix.O_NONBLOCK | unix.O_CLOEXEC
	var st unix.Stat_t
	err := unix.Stat(path, &st)
	if err == nil && st.Mode&unix.S_IFMT != unix.S_IFIFO {
		return 0, 0, &JobserverError{Why: path + " is no named pipe"}
	}
	if err == nil {
		read, err = unix.Open(path, unix.O_RDONLY|mode, 0)
	}
	if err == nil {
		if write, err = unix.Open(path, unix.O_WRONLY|mode, 0); err != nil {
			_ = unix.Close(read)
		}
	}
	if err != nil {
		return 0, 0, &JobserverError{Why: (&fs.PathError{Op: "open", Path: path, Err: err}).Error()}
	}
	return read, write, nil
}

// inherited takes over the two ends of a pipe from make. Numbers of descriptors that make has closed may have been given
// to anything since, so that they are used only where they are the two ends of one pipe.
func inherited(auth string) (read, write int, _ *JobserverError) {
	r, w, _ := strings.Cut(auth, ",")
	read, err1 := strconv.Atoi(r)
	write, err2 := strconv.Atoi(w)
	switch {
	case err1 != nil || err2 != nil:
		return 0, 0, &JobserverError{Why: "it is none that this system has"}
	case read < 0 || write < 0: // since version 4.4
		return 0, 0, &JobserverError{Why: "make keeps it from this recipe", Unmarked: true}
	}
	ends := [2]unix.Stat_t{}
	for i, fd := range []int{read, write} {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		if err == nil {
			err = unix.Fstat(fd, &ends[i])
		}
		want := []int{unix.O_RDONLY, unix.O_WRONLY}[i]
		switch {
		case errors.Is(err, unix.EBADF):
			return 0, 0, &JobserverError{Why: fmt.Sprintf("descriptor %d is closed", fd), Unmarked: true}
		case err != nil:
			return 0, 0, &JobserverError{Why: fmt.Sprintf("descriptor %d: %v", fd, err)}
		case ends[i].Mode&unix.S_IFMT != unix.S_IFIFO, flags&unix.O_ACCMODE != want && flags&unix.O_ACCMODE != unix.O_RDWR,
			ends[i].Dev != ends[0].Dev, ends[i].Ino != ends[0].Ino:
			return 0, 0, &JobserverError{Why: fmt.Sprintf("descriptor %d is something else", fd), Unmarked: true}
		}
	}
	return ownEnd(read, unix.O_RDONLY|unix.O_NONBLOCK), ownEnd(write, unix.O_WRONLY), nil
}

// ownEnd opens an end of a pipe anew, or copies its descriptor where that cannot be; no process that is started
// inherits it.
func ownEnd(fd, mode int) int {
	if own, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", fd), mode|unix.O_CLOEXEC, 0); err == nil {
		return own
	}
	if own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3); err == nil {
		return own
	}
	return fd
}

// take waits for a token, until there is one or wake is called.
func (p *tokenPipe) take() (byte, error) {
	for {
		ready := []unix.PollFd{{Fd: int32(p.read), Events: unix.POLLIN}, {Fd: int32(p.woken.Fd()), Events: unix.POLLIN}}
		if _, err := unix.Poll(ready, -1); err != nil && err != unix.EINTR {
			return 0, err
		}
		if ready[1].Revents != 0 {
			return 0, os.ErrClosed
		}
		if ready[0].Revents == 0 {
			continue
		}
		var token [1]byte
		n, err := unix.Read(p.read, token[:])
		switch {
		case n == 1:
			return token[0], nil
		case err == nil:
			return 0, io.ErrUnexpectedEOF // nobody has the other end: make is gone
		case err != unix.EAGAIN && err != unix.EINTR:
			return 0, err
		}
	}
}

// give writes a token back. The pipe has room for it: it was taken from there.
func (p *tokenPipe) give(token byte) {
	for {
		if _, err := unix.Write(p.write, []byte{token}); err != unix.EINTR && err != unix.EAGAIN {
			return // without a reader there is no make any more
		}
	}
}

func (p *tokenPipe) wake() { _ = p.waker.Close() }

func (p *tokenPipe) close() {
	_ = p.woken.Close()
	_ = unix.Close(p.read)
	_ = unix.Close(p.write)
}
