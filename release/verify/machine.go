package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"kmx/internal/diag"
	"kmx/internal/durable"
)

// TopologyDir is where Linux lists the nodes of its compute driver.
const TopologyDir = "/sys/class/kfd/kfd/topology/nodes"

// maxProperties is the most that is read of a node; sysfs gives 4 KiB.
const maxProperties = 1 << 20

// lastVersion is the last that has a name of six digits.
const lastVersion = 99_99_99

// lastNode is the last node that the bridge looks at, counted from 0.
const lastNode = 15

// Node is a node of the compute driver's topology: a GPU, or a processor, which
// has no SIMD.
type Node struct {
	Index   int    `json:"node"`
	SIMDs   uint64 `json:"simd_count"`
	Version uint64 `json:"gfx_target_version"` // 120001 is gfx1201
	Odd     string `json:"odd,omitempty"`      // what could not be read of it
}

// Name is the GPU as LLVM names it: major and minor version decimal, the stepping
// a hex digit. 90010 is gfx90a.
func (n Node) Name() string {
	return fmt.Sprintf("gfx%d%d%x", n.Version/10000, n.Version/100%100, n.Version%100)
}

// GPU says whether the bridge counts the node.
func (n Node) GPU() bool { return n.SIMDs > 0 && n.Version > 0 }

// ReadTopology reads nodes 0 to 15 of a folder laid out as TopologyDir, or of one
// with a folder "nodes" that is. Nodes that are not there are passed over; a folder
// that does not exist has none.
func ReadTopology(dir string) ([]Node, error) {
	if info, err := os.Stat(filepath.Join(dir, "nodes")); err == nil && info.IsDir() {
		dir = filepath.Join(dir, "nodes")
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, diag.Failf(diag.Usage, "it is a folder laid out as "+TopologyDir, "%s is no topology", dir)
	}
	var nodes []Node
	for i := range lastNode + 1 {
		data, err := durable.ReadFile(filepath.Join(dir, strconv.Itoa(i), "properties"), maxProperties)
		if os.IsNotExist(err) {
			continue
		}
		n := Node{Index: i}
		if err != nil {
			n.Odd = err.Error()
		}
		n.read(string(data))
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// read takes the two properties that count; what is no number is 0, as for the
// bridge, and told.
func (n *Node) read(text string) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) != 2 {
			continue
		}
		into := map[string]*uint64{"simd_count": &n.SIMDs, "gfx_target_version": &n.Version}[f[0]]
		if into == nil {
			continue
		}
		v, err := strconv.ParseUint(f[1], 10, 64)
		if err != nil {
			n.Odd, v = fmt.Sprintf("%s is %.40q, no number", f[0], f[1]), 0
		}
		*into = v
	}
	if n.Version > lastVersion {
		n.Odd = fmt.Sprintf("gfx_target_version %d is the version of no GPU", n.Version)
	}
}

// choose is the node that the bridge takes: the one with the most SIMDs, the first
// of several; nil where there is no GPU.
func choose(nodes []Node) *Node {
	var best *Node
	for i, n := range nodes {
		if n.GPU() && (best == nil || n.SIMDs > best.SIMDs) {
			best = &nodes[i]
		}
	}
	return best
}

// The setting that stands for the topology.
const archSetting = "D4R_GPU_ARCH"

// architecture is the GPU that kernels are looked for, "" for none, and why.
func architecture(nodes []Node, settings Settings) (arch, why string) {
	said := ""
	if v := settings[archSetting]; strings.HasPrefix(v, "gfx") {
		return v, archSetting + " says so"
	} else if v != "" {
		said = fmt.Sprintf("; %s=%s does not begin with gfx and is passed over", archSetting, v)
	}
	best := choose(nodes)
	if best == nil {
		if len(nodes) == 0 {
			return "", "the topology has no node" + said
		}
		return "", fmt.Sprintf("none of its %s is a GPU", count(len(nodes), "node")) + said
	}
	others := 0
	for _, n := range nodes {
		if n.GPU() && n.Index != best.Index {
			others++
			if n.SIMDs == best.SIMDs {
				said = fmt.Sprintf(", the first of those with that many%s", said)
			}
		}
	}
	if others == 0 {
		return best.Name(), fmt.Sprintf("node %d is the only GPU (%d SIMDs)%s", best.Index, best.SIMDs, said)
	}
	return best.Name(), fmt.Sprintf("node %d has the most SIMDs, %d%s", best.Index, best.SIMDs, said)
}
