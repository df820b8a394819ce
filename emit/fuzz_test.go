package emit_test

import (
	"bytes"
	"testing"

	"kmx/cuda/ptx"
	"kmx/emit"
)

// FuzzLower: no module makes Lower panic, and the answer is the same each time.
func FuzzLower(f *testing.F) {
	f.Add([]byte(whole), true)
	cases, err := corpus()
	if err != nil {
		f.Fatal(err)
	}
	for i, c := range cases {
		f.Add(c.Text, i%2 == 0)
	}
	for _, u := range emit.Refused() {
		f.Add([]byte(example(u.Example)), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, wave64 bool) {
		m, _ := ptx.Parse("fuzz.ptx", text) // what was understood of a broken module
		o := emit.Options{Target: "gfx1201", Wave64: wave64, Denormals: wave64, Bitcode: []string{"b.bc"}}
		first, err := emit.Lower(m, "", o)
		second, again := emit.Lower(m, "", o)
		if !bytes.Equal(first, second) || (err == nil) != (again == nil) || err != nil && err.Error() != again.Error() {
			t.Fatalf("two answers: %v and %v", err, again)
		}
	})
}
