package cache

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"time"
)

var errStub = errors.New("not built yet")

type Cache struct{}
type Memo struct{}
type History struct{}
type Snapshot struct{}
type Stats struct {
	Blobs, Records, Quarantined, MemoEntries int
	Bytes                                    int64
}

func (s Stats) String() string { return "" }

type Miss struct {
	Key    Digest
	Reason string
}

func (m *Miss) Error() string { return m.Reason }

type Field struct {
	Tag   string `json:"tag"`
	Name  string `json:"name,omitempty"`
	Value string `json:"value,omitempty"`
}
type Output struct {
	Path   string `json:"path"`
	Digest Digest `json:"digest"`
	Size   int64  `json:"size"`
}
type Record struct {
	Format  string
	Key     Digest
	Label   string
	Fields  []Field
	Outputs []Output
	Stdout  []byte
	Stderr  []byte
	Wall    time.Duration
	User    time.Duration
	System  time.Duration
	PeakRSS int64
	Made    time.Time
}
type Past struct {
	Label   string
	Key     Digest
	Wall    time.Duration
	PeakRSS int64
	Facts   json.RawMessage
}

func DefaultDir() (string, error)                                    { return "", errStub }
func Open(dir string, warn func(msg string)) (*Cache, error)         { return nil, errStub }
func (c *Cache) Close() error                                        { return errStub }
func (c *Cache) Lookup(key Digest) (*Record, error)                  { return nil, errStub }
func (c *Cache) Store(r *Record) error                               { return errStub }
func (c *Cache) PutBytes(b []byte) (Digest, error)                   { return Digest{}, errStub }
func (c *Cache) PutFile(path string) (Digest, int64, error)          { return Digest{}, 0, errStub }
func (c *Cache) Blob(d Digest) ([]byte, error)                       { return nil, errStub }
func (c *Cache) Place(d Digest, dst string, mode fs.FileMode) error  { return errStub }
func (c *Cache) SandboxRoot() string                                 { return "" }
func (c *Cache) State(projectRoot string) (string, error)            { return "", errStub }
func (c *Cache) Stats() (Stats, error)                               { return Stats{}, errStub }
func (c *Cache) Memo() *Memo                                         { return nil }
func (m *Memo) File(path string) (Digest, int64, error)              { return Digest{}, 0, errStub }
func (m *Memo) Derived(kind string, d Digest) (string, bool)         { return "", false }
func (m *Memo) PutDerived(kind string, d Digest, value string)       {}
func (m *Memo) Save() error                                          { return errStub }
func OpenHistory(stateDir string) (*History, error)                  { return nil, errStub }
func (h *History) Last(label string) (Past, bool)                    { return Past{}, false }
func (h *History) Append(p Past) error                               { return errStub }
func (h *History) Close() error                                      { return errStub }
func NewSnapshot() *Snapshot                                         { return nil }
func (s *Snapshot) AddFile(path string)                              {}
func (s *Snapshot) AddOutput(path string)                            {}
func (s *Snapshot) AddDir(path string)                               {}
func (s *Snapshot) AddAbsent(path string)                            {}
func (s *Snapshot) AddEnv(name string)                               {}
func (s *Snapshot) SetAnswer(b []byte)                               {}
func (s *Snapshot) Save(path string) error                           { return errStub }
func CheckSnapshot(path string) (answer []byte, why string, ok bool) { return nil, "", false }
func (c *Cache) Lock(ctx context.Context, key Digest, waiting func(holder string)) (unlock func(), err error) {
	return nil, errStub
}
