package flow

import (
	"bytes"
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"kmx/internal/diag"
)

func TestWorkThatDoesNotStopIsLeftBehind(t *testing.T) {
	exited := make(chan int, 1)
	var said bytes.Buffer
	i := &interrupt{errOut: &said, signals: make(chan os.Signal, 1), done: make(chan struct{}), exit: func(code int) { exited <- code }}
	ctx, cancel := context.WithCancel(t.Context())
	given := false
	i.first(func() { given = true }) // tokens of a make
	i.signals <- os.Interrupt
	go i.listen(ctx, cancel, 0)
	<-ctx.Done()
	if code := <-exited; code != int(diag.Interrupted) || !strings.Contains(said.String(), "does not stop") {
		t.Errorf("exit code %d, %q", code, said.String())
	}
	if !given {
		t.Error("what is to be done first was not done")
	}
	(*interrupt)(nil).first(func() {}) // nobody listens
}

func TestWorkThatStopsIsNotHurried(t *testing.T) {
	i := &interrupt{errOut: os.Stderr, signals: make(chan os.Signal, 1), done: make(chan struct{}), exit: func(int) { t.Error("left") }}
	ctx, cancel := context.WithCancel(t.Context())
	close(i.done)
	i.listen(ctx, cancel, 0)
	if ctx.Err() == nil {
		t.Error("the context is left open")
	}
}

func TestNobodyReadsTheOutput(t *testing.T) {
	code := 0
	i := &interrupt{errOut: os.Stderr, signals: make(chan os.Signal, 1), done: make(chan struct{}), exit: func(c int) { code = c }}
	ctx, cancel := context.WithCancel(t.Context())
	i.signals <- syscall.SIGPIPE
	go i.listen(ctx, cancel, time.Hour)
	<-ctx.Done()
	if i.leave(); code != 141 {
		t.Errorf("exit code %d", code)
	}
}
