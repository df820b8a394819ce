package main

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
)

// become runs another program in place of this one and returns its exit code.
// A console sends an interrupt to both: it is the other one's to answer.
func become(path string, args []string) (int, error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}
