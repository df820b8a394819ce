package kmx

import (
	"encoding/json"
	"slices"

	"github.com/rogpeppe/go-internal/testscript"

	"kmx/cache"
	"kmx/plan"
)

func init() {
	systemCommands["lie"] = lie
}

// lie LIST A B [C] makes fold.lock.hcl say that the cells A and B, by the answer of
// fold:list -json in the file LIST, have equal objects: that of A, or of C.
func lie(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 && len(args) != 4 {
		ts.Fatalf("usage: lie LIST A B [C]")
	}
	var list struct {
		Cells []struct {
			Address, Kernel, Target, Mode string
			Object, Premise               cache.Digest
		}
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &list))
	file := ts.MkAbs(plan.ProofsName)
	proofs, problems := plan.ReadProofs(file)
	if len(problems) > 0 || len(proofs.Compilers) != 1 {
		ts.Fatalf("the map is not one of one compiler: %v", problems)
	}
	e := plan.Equal{Cells: map[string]cache.Digest{}}
	for _, c := range list.Cells {
		if slices.Contains(args[1:3], c.Address) {
			e.Kernel, e.Cells[c.Target+c.Mode] = c.Kernel, c.Premise
		}
		if c.Address == args[1] && len(args) == 3 || c.Address == args[len(args)-1] && len(args) == 4 {
			e.Object = c.Object
		}
	}
	if len(e.Cells) != 2 || e.Object.IsZero() {
		ts.Fatalf("%s does not know both cells: %+v", args[0], e)
	}
	proofs.Compilers[0].Equal = append(proofs.Compilers[0].Equal, e)
	ts.Check(proofs.Write(file))
}
