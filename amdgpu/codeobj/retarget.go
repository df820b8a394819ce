package codeobj

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// RetargetFormat names what Retarget does. It changes when the same object is
// given another form.
const RetargetFormat = "kmx.retarget/1"

// machineAt is where the byte of e_flags stands that names the GPU.
const machineAt = 48

// notePrefix stands before the name of the GPU in the note.
const notePrefix = "amdgcn-amd-amdhsa--"

// Retarget gives the object as it is but for the GPU that it says it is for: the
// machine in the ELF flags and the target in the note. Whether the code is right
// for that GPU is for a proof to say. The answer is of the length of data, which
// stays as it is.
//
// It refuses what it does not understand: a damaged object, one of features or
// of a generic target, a GPU of another generation or with a name of another
// length, and one that names its GPU in a third place.
func Retarget(data []byte, target string) ([]byte, error) {
	o, err := retargetable(data)
	if err != nil {
		return nil, err
	}
	machine, known := machineOf(target)
	switch {
	case !known || generation(target) == "":
		return nil, fmt.Errorf("%q is no GPU that an object can be made for", target)
	case generation(target) != generation(o.Target):
		return nil, fmt.Errorf("%s and %s are of different generations", o.Target, target)
	case len(target) != len(o.Target):
		return nil, fmt.Errorf("the names %s and %s differ in length, so that the note would move", o.Target, target)
	}
	out := o.renamed(byte(machine), target)
	if made, err := Read(out); err != nil || made.Target != target || made.NoteTarget != target {
		return nil, fmt.Errorf("with the name of %s in its places it is no object any more", target)
	}
	return out, nil
}

// Untargeted is the object without the GPU that it says it is for: two objects
// with equal answers are each what Retarget makes of the other. It is no object.
// It refuses what Retarget refuses.
func Untargeted(data []byte) ([]byte, error) {
	o, err := retargetable(data)
	if err != nil {
		return nil, err
	}
	return o.renamed(0, strings.Repeat("?", len(o.Target))), nil
}

// renamed is a copy of the bytes with another machine and name in their places.
func (o *Object) renamed(machine byte, name string) []byte {
	out := slices.Clone(o.image.data)
	out[machineAt] = machine
	copy(out[o.meta.targetAt+len(notePrefix):], name)
	return out
}

// retargetable reads an object that Retarget understands.
func retargetable(data []byte) (*Object, error) {
	o, err := Read(data)
	if err != nil {
		return nil, fmt.Errorf("not an object that can be made into one for another GPU: %w", err)
	}
	switch {
	case o.Flags&^machineMask != 0:
		return nil, fmt.Errorf("the ELF flags 0x%08x name features or a version of a generic target", o.Flags)
	case o.NoteTarget != o.Target || o.meta.target != notePrefix+o.Target:
		return nil, fmt.Errorf("the ELF flags are for %s, the note says %q", o.Target, o.meta.target)
	case generation(o.Target) == "":
		return nil, fmt.Errorf("%s is of no generation", o.Target)
	}
	at := o.meta.targetAt + len(notePrefix)
	if span, ok := span(data, uint64(at), uint64(len(o.Target))); !ok || string(span) != o.Target {
		return nil, fmt.Errorf("the name of the GPU does not stand in the note at 0x%x", at)
	}
	for from := 0; ; {
		i := bytes.Index(data[from:], []byte(o.Target))
		if i < 0 {
			return o, nil
		}
		if from += i; from != at {
			return nil, fmt.Errorf("%s stands at 0x%x as well, outside the target of the note", o.Target, from)
		}
		from += len(o.Target)
	}
}

// generation is a target without its last two digits, minor version and
// stepping: gfx1201 is of gfx12. A generic target has none.
func generation(target string) string {
	if _, known := machineOf(target); !known || len(target) != len("gfx1201") {
		return ""
	}
	return target[:5]
}
