package page

import (
	"kmx/cache"
	"kmx/matrix"
	"kmx/release"
	"kmx/report"
	"kmx/report/logs"
)

// Sources are what Collect reads. Only Build is needed.
type Sources struct {
	Build   *logs.Build
	Earlier []*logs.Build // the oldest first
	Store   *cache.Cache
	State   string                         // folder of the checkout's history, toolchains and statistics
	LeftOut []matrix.LeftOutDescription    // of the matrix as it is now
	Against string                         // folder of a release, a set, or sets; "" for none
	Notes   []string                       // what the caller could not find
	stats   map[cache.Digest]*emulatedFact // of State
}

type emulatedFact = report.Emulation

// Data is the content of a page. Times in columns are microseconds since the
// build began or long, -1 where there is none; memory is in KiB.
type Data struct {
	Build    Summary                     `json:"build"`
	Words    []string                    `json:"words"` // of Cells.State
	Cells    Cells                       `json:"cells"`
	Runs     Runs                        `json:"runs"`
	Lanes    int                         `json:"lanes"`
	Failures []Failure                   `json:"failures"`
	Path     []Step                      `json:"path"`
	Misses   []Miss                      `json:"misses"`
	History  History                     `json:"history"`
	Objects  []Object                    `json:"objects"`
	Equal    Equal                       `json:"equal"`
	LeftOut  []matrix.LeftOutDescription `json:"leftout"`
	Against  *Against                    `json:"against"`
	Warnings []Warning                   `json:"warnings"`
	Notes    []string                    `json:"notes"`
}

// Summary is the build in numbers. Times are microseconds.
type Summary struct {
	Log      string `json:"log"`
	Started  string `json:"started"` // UTC
	Wall     int64  `json:"wall"`
	Finished bool   `json:"finished"`
	Error    string `json:"error"`
	Jobs     int    `json:"jobs"`
	Events   int    `json:"events"`
	Total    int    `json:"total"`
	Built    int    `json:"built"`
	Cached   int    `json:"cached"`
	Failed   int    `json:"failed"`
	Skipped  int    `json:"skipped"`
	Stopped  int    `json:"stopped"`
	Open     int    `json:"open"` // not final when the build was killed
	Ran      int    `json:"ran"`  // processes
	Busy     int64  `json:"busy"` // sum of the processes' times
	Work     int64  `json:"work"` // logs.Bounds
	Chain    int64  `json:"chain"`
}

// Cells are columns, one row a cell that the log speaks of.
type Cells struct {
	Label  []string `json:"label"`
	State  []int    `json:"state"`
	Miss   []int    `json:"miss"` // index in Misses, -1 where the cache had it
	Wall   []int64  `json:"wall"`
	Guess  []int64  `json:"guess"`
	CPU    []int64  `json:"cpu"`
	RSS    []int64  `json:"rss"`
	Start  []int64  `json:"start"`  // of its first process
	End    []int64  `json:"end"`    // final
	Before []int64  `json:"before"` // median of the earlier builds that ran it
	Times  []int    `json:"times"`  // how many those are
}

// Runs are columns, one row a process.
type Runs struct {
	Cell  []int   `json:"cell"`
	Lane  []int   `json:"lane"`
	Start []int64 `json:"start"`
	End   []int64 `json:"end"`
}

// Failure is a cell that failed, with what its tool said.
type Failure struct {
	Label  string `json:"label"`
	Error  string `json:"error"`
	Output string `json:"output"`
	Cut    bool   `json:"cut"` // the output is longer
}

// Step is a step of the critical path.
type Step struct {
	Run    int    `json:"run"`
	Why    string `json:"why"` // logs.AtStart ...
	Waited int64  `json:"waited"`
}

// Miss is a reason why the cache had no record, and how many cells it held for.
type Miss struct {
	Reason  string   `json:"reason"`
	Count   int      `json:"count"`
	Follows []string `json:"follows"` // what stands behind it, the same for all of them
}

// History are the builds before this one.
type History struct {
	Builds []Past `json:"builds"` // the oldest first, this one at the end
}

// Past is one of them.
type Past struct {
	Log    string `json:"log"`
	Wall   int64  `json:"wall"`
	Busy   int64  `json:"busy"`
	Ran    int    `json:"ran"`
	Cached int    `json:"cached"`
	Failed int    `json:"failed"`
	Ended  bool   `json:"ended"`
	Same   int64  `json:"same"`   // time of the cells that ran there and in this build, there
	Now    int64  `json:"now"`    // and here
	Shared int    `json:"shared"` // how many
}

// Object is a kernel of an object that the build made or found.
type Object struct {
	Label  string            `json:"label"` // of the cell
	Kernel release.Kernel    `json:"kernel"`
	Prep   bool              `json:"prep"` // it prepares another
	Target string            `json:"target"`
	Digest string            `json:"digest"` // of the object, shortened
	Code   string            `json:"code"`   // digest of its instructions, shortened
	Size   int64             `json:"size"`   // bytes of the object
	Emul   *report.Emulation `json:"emulated,omitempty"`

	full cache.Digest
}

// Equal tells which objects of a kernel are equal across targets.
type Equal struct {
	Targets []string   `json:"targets"`
	Rows    []EqualRow `json:"rows"`
	Objects int        `json:"objects"` // compared
	Files   int        `json:"files"`   // different ones among them
	Codes   int        `json:"codes"`   // different instructions among them
}

// EqualRow is one kernel and mode; the letter of a target is that of its
// instructions, the number behind it that of its bytes where those differ among
// equal instructions. "" where there is no object.
type EqualRow struct {
	Name  string   `json:"name"`
	Cells []string `json:"cells"`
	Codes int      `json:"codes"` // different ones
}

// Against is the comparison with another release.
type Against struct {
	Name  string       `json:"name"`
	Rows  []AgainstRow `json:"rows"`
	Gone  int          `json:"gone"` // objects there that this build says nothing of
	Kinds []Kind       `json:"kinds"`
}

// Kind counts objects by how they compare.
type Kind struct {
	Word  string `json:"word"`
	Count int    `json:"count"`
}

// AgainstRow is a kernel there and here; Was is nil where it is new.
type AgainstRow struct {
	Label string          `json:"label"`
	Word  string          `json:"word"` // identical, metadata only, constants changed, ISA changed, changed, new
	Was   *release.Kernel `json:"was"`
	Is    release.Kernel  `json:"is"`
	Sizes [2]int64        `json:"sizes"`
}

// Warning is something that the build warned of.
type Warning struct {
	At    int64  `json:"at"`
	Label string `json:"label"`
	Text  string `json:"text"`
}
