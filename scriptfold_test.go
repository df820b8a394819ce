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

// lie LIST A B makes fold.lock.hcl say that cell B, by the answer of fold:list
// -json in the file LIST, has an object equal to that of A.
func lie(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: lie LIST A B")
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
		if slices.Contains(args[1:], c.Address) {
			e.Cells[c.Target+c.Mode] = c.Premise
			if c.Address == args[1] {
				e.Kernel, e.Object = c.Kernel, c.Object
			}
		}
	}
	if len(e.Cells) != 2 || e.Object.IsZero() {
		ts.Fatalf("%s does not know both cells: %+v", args[0], e)
	}
	proofs.Compilers[0].Equal = append(proofs.Compilers[0].Equal, e)
	ts.Check(proofs.Write(file))
}
