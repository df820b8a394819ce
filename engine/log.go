package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Log is a file of events, one JSON object a line. Each event is one write when it happens, so that a run that is
// killed leaves everything up to then, and at most the last line torn.
type Log struct {
	path string

	mu   sync.Mutex
	file *os.File
	buf  bytes.Buffer
	err  error // of the first write that failed
}

// OpenLog makes a new log, and its folder. Where a file of that name is, which is the log of a run that began in the same
// moment, a number is put before the ending.
func OpenLog(path string) (*Log, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the log: %w", err)
	}
	name := path
	for i := 2; ; i++ {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			return &Log{path: name, file: f}, nil
		}
		if !errors.Is(err, fs.ErrExist) || i > 1000 {
			return nil, fmt.Errorf("cannot make the log: %w", err)
		}
		ending := filepath.Ext(path)
		name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ending), i, ending)
	}
}

// Path is where the log lies.
func (l *Log) Path() string { return l.path }

// Write appends one event. It may be called from any goroutine. After an error nothing more is written; Close
// reports it.
func (l *Log) Write(e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return
	}
	l.buf.Reset()
	enc := json.NewEncoder(&l.buf)
	enc.SetEscapeHTML(false)
	if l.err = enc.Encode(e); l.err == nil {
		_, l.err = l.file.Write(l.buf.Bytes())
	}
}

// Close ends the log and reports the first event that could not be written. Closing twice is harmless.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := errors.Join(l.err, l.file.Close())
	l.file, l.err = nil, os.ErrClosed
	if err != nil {
		return fmt.Errorf("the log is not complete: %w", err)
	}
	return nil
}

// ReadLog reads the events of a log. A torn last line, which a killed run leaves, is left out; any other line that is
// not an event is an error, as is a log of another version. The events before it are returned in any case.
func ReadLog(path string) ([]Event, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the log: %w", err)
	}
	var events []Event
	for number := 1; ; number++ {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if !whole {
			return events, nil
		}
		data = rest
		var e Event
		if err := json.Unmarshal(line, &e); err != nil {
			return events, fmt.Errorf("%s:%d: not an event: %w", path, number, err)
		}
		if number == 1 && e.Format != EventFormat {
			return events, fmt.Errorf("%s: events of format %q, this kmx reads %q", path, e.Format, EventFormat)
		}
		events = append(events, e)
	}
}
