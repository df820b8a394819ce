package emit

// Generic addresses and the windows that they lie in.

// convertAddress is cvta: to a generic address, or with .to back from one.
// Global, constant and parameter memory have the same addresses in both.
func convertAddress(x *instruction) {
	back := x.flag("to")
	name := x.one("global", "shared", "local", "const", "param", "shared::cta")
	if name == "shared::cta" {
		name = "shared"
	}
	t := x.typ("u64")
	if name == "" || !x.count(2) {
		x.no("cvta without a state space")
		return
	}
	v := x.arg(1, t)
	if name == "shared" || name == "local" {
		sp, generic := spaces[name], spaces["generic"]
		if back {
			p := x.do("ptr", "inttoptr %s to ptr", v)
			p = x.do(sp.pointer(), "addrspacecast %s to %s", p, sp.pointer())
			v = x.do("i64", "zext %s to i64", x.do("i32", "ptrtoint %s to i32", p))
		} else {
			v = x.do("i32", "trunc %s to i32", v)
			p := x.do(sp.pointer(), "inttoptr %s to %s", v, sp.pointer())
			p = x.do("ptr", "addrspacecast %s to %s", p, generic.pointer())
			v = x.do("i64", "ptrtoint %s to i64", p)
		}
	}
	x.store(0, v, t)
}

// inSpace is isspacep: which window a generic address lies in.
func inSpace(x *instruction) {
	name := x.one("global", "shared", "local", "shared::cta")
	if name == "" || !x.count(2) {
		x.no("isspacep with another state space")
		return
	}
	p := x.do("ptr", "inttoptr %s to ptr", x.arg(1, scalars["b64"]))
	shared := func() value { return x.call("i1", "llvm.amdgcn.is.shared", p) }
	private := func() value { return x.call("i1", "llvm.amdgcn.is.private", p) }
	var v value
	switch name {
	case "local":
		v = private()
	case "global":
		either := x.do("i1", "or %s, %s", shared(), private().text)
		v = x.do("i1", "xor %s, true", either)
	default:
		v = shared()
	}
	x.store(0, v, scalars["pred"])
}
