package engine

// What is left of the memory of the machine for everything else, as builds come to take more than they are guessed to:
// a tenth, but at least 256 MiB and at most 2 GiB.
const (
	reservePart = 10
	reserveMin  = 256 << 20
	reserveMax  = 2 << 30
)

// MemoryBudget is what actions may take together on this machine now, in bytes: what is available, to this machine and
// in the control groups that this process lies in, less a reserve. It is at least 1, as one action is always admitted; 0
// means that it is not known.
func MemoryBudget() int64 { return budget(freeMemory("/")) }

func budget(free int64) int64 {
	if free <= 0 {
		return 0
	}
	return max(1, free-min(max(free/reservePart, reserveMin), reserveMax))
}
