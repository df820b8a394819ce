package matrix

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kmx/internal/diag"
)

// ownWords puts our words in the place of HCL's where they say more: the
// function that fails, and for a missing attribute the names that do exist.
func ownWords(m *diag.Message, d *hcl.Diagnostic) (word string, known []string) {
	if call, ok := hcl.DiagnosticExtra[hclsyntax.FunctionCallDiagExtra](d); ok && call.CalledFunctionName() != "" {
		m.Summary = "wrong use of " + call.CalledFunctionName() + "()"
		if err := call.FunctionCallError(); err != nil {
			m.Detail = lowerFirst(err.Error())
		}
		return "", nil
	}
	if d.Summary != "Unsupported attribute" && d.Summary != "Missing map element" {
		return "", nil
	}
	x, ok := d.Expression.(*hclsyntax.ScopeTraversalExpr)
	if !ok || d.EvalContext == nil {
		return "", nil
	}
	for i := len(x.Traversal) - 1; i > 0; i-- {
		v, diags := x.Traversal[:i].TraverseAbs(d.EvalContext)
		if diags.HasErrors() {
			continue
		}
		name, _ := stepName(x.Traversal[i])
		if name == "" {
			return "", nil
		}
		m.Summary = fmt.Sprintf("%s has no %s", traversalText(x.Traversal[:i]), name)
		m.Detail = ""
		return name, attributeNames(v)
	}
	return "", nil
}

func traversalText(t hcl.Traversal) string {
	s := t.RootName()
	for _, step := range t[1:] {
		switch step := step.(type) {
		case hcl.TraverseAttr:
			s += "." + step.Name
		case hcl.TraverseIndex:
			s += "[" + show(step.Key) + "]"
		}
	}
	return s
}
