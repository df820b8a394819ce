package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"
)

// A contender is one command that is measured.
type contender struct {
	name string
	dir  string
	env  []string // beyond those of this process
	argv []string
	// before prepares each of its turns, outside the measured time.
	before func() error
	// settle is waited for between before and the turn: kmx does not believe the
	// times of a file that was written a moment ago.
	settle time.Duration
	// after takes in each turn.
	after func(turn) error
}

// A turn is what one process used, its children included.
type turn struct{ wall, cpu time.Duration }

func (c *contender) command() *exec.Cmd {
	cmd := exec.Command(c.argv[0], c.argv[1:]...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), c.env...)
	return cmd
}

// run measures the command once; stdout and stderr go nowhere.
func (c *contender) run() (turn, error) {
	if c.before != nil {
		if err := c.before(); err != nil {
			return turn{}, err
		}
	}
	time.Sleep(c.settle)
	cmd := c.command()
	begin := time.Now()
	err := cmd.Run()
	t := turn{wall: time.Since(begin)}
	if err != nil {
		out, _ := c.command().CombinedOutput()
		return t, fmt.Errorf("%s: %w\n%s", c.name, err, out[max(0, len(out)-2000):])
	}
	t.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if c.after != nil {
		err = c.after(t)
	}
	return t, err
}

// race lets all take their turns, each round beginning with another one, so
// that none always follows the same.
func race(all []*contender, rounds int) (map[string][]turn, error) {
	turns := map[string][]turn{}
	for r := range rounds {
		for i := range all {
			c := all[(i+r)%len(all)]
			t, err := c.run()
			if err != nil {
				return nil, err
			}
			turns[c.name] = append(turns[c.name], t)
		}
	}
	return turns, nil
}

func wall(t turn) float64 { return t.wall.Seconds() }
func cpu(t turn) float64  { return t.cpu.Seconds() }

// typical is the median of what is measured.
func typical(turns []turn, of func(turn) float64) float64 {
	var v []float64
	for _, t := range turns {
		v = append(v, of(t))
	}
	return median(v)
}

// ratio is the median of the ratios of the rounds.
func ratio(a, b []turn, of func(turn) float64) float64 {
	var v []float64
	for i := range min(len(a), len(b)) {
		v = append(v, of(a[i])/of(b[i]))
	}
	return median(v)
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
