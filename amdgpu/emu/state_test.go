package emu

import (
	"encoding/binary"
	"fmt"
	"maps"
	"strings"

	"kmx/amdgpu/codeobj"
)

// machineState is a wave in a work-group with 256 bytes of LDS and 256 of memory.
type machineState struct {
	*wave
	memory []byte
}

const testMemory = 0x10000

func newState(target generation, wave64 bool, texts ...string) (*machineState, error) {
	p := &Program{target: target, wave64: wave64, base: 0x1000, object: &codeobj.Object{}}
	for i, text := range append(texts, "s_endpgm") {
		p.code = append(p.code, inst{addr: 0x1000 + uint64(4*i), size: 4, text: text})
		p.index = append(p.index, int32(i))
	}
	for i := range p.code {
		if p.build(&p.code[i]); p.code[i].err != nil {
			return nil, fmt.Errorf("%s: %w", p.code[i].text, p.code[i].err)
		}
	}
	r := &dispatch{program: p, launch: Launch{Block: [3]uint32{32, 1, 1}, MaxInstructions: 1000, Poison: DefaultPoison}, waves: 1, lds: 256}
	r.kernel.WaveSize, r.kernel.Scratch = 32, 64
	if wave64 {
		r.kernel.WaveSize, r.launch.Block[0] = 64, 64
	}
	m := &machineState{memory: make([]byte, 256)}
	r.space.add(region{name: "memory", base: testMemory, end: testMemory + 256, data: m.memory})
	g := newGroup(r)
	clear(g.lds)
	m.wave = g.waves[0]
	m.start()
	m.mode = modeDenormals | modeClampNaN
	for i := range m.memory {
		m.memory[i] = byte(i)
	}
	return m, nil
}

// set puts a value in all lanes of v7 or in s4; "v7.3" is lane 3 of v7.
func (m *machineState) set(name string, v uint32) {
	var reg, l int
	switch {
	case name == "vcc":
		m.s[regVCC] = v
	case name == "exec":
		m.s[regExec] = v
	case name == "m0":
		m.s[regM0] = v
	case name == "scc":
		m.scc = v
	case strings.Contains(name, "."):
		_, _ = fmt.Sscanf(name, "v%d.%d", &reg, &l)
		m.v[l/32][reg][l%32] = v
	case name[0] == 'v':
		_, _ = fmt.Sscanf(name, "v%d", &reg)
		for h := range m.v {
			fillRegister(&m.v[h][reg], v)
		}
	default:
		_, _ = fmt.Sscanf(name, "s%d", &reg)
		m.s[reg] = v
	}
}

// get reads what set writes, and "m16" a word of memory, "l16" one of LDS.
func (m *machineState) get(name string) uint32 {
	var reg, l int
	switch {
	case name == "vcc":
		return m.s[regVCC]
	case name == "exec":
		return m.s[regExec]
	case name == "scc":
		return m.scc
	case name[0] == 'm':
		_, _ = fmt.Sscanf(name, "m%d", &reg)
		return binary.LittleEndian.Uint32(m.memory[reg:])
	case name[0] == 'l':
		_, _ = fmt.Sscanf(name, "l%d", &reg)
		return binary.LittleEndian.Uint32(m.group.lds[reg:])
	case name[0] == 'v':
		_, _ = fmt.Sscanf(name, "v%d.%d", &reg, &l)
		return m.v[l/32][reg][l%32]
	}
	_, _ = fmt.Sscanf(name, "s%d", &reg)
	return m.s[reg]
}

type registers map[string]uint32

// lanes numbers the lanes of a register: lane l holds first + l*step.
func lanes(reg int, first, step uint32) registers {
	r := registers{}
	for l := range 64 {
		r[fmt.Sprintf("v%d.%d", reg, l)] = first + uint32(l)*step
	}
	return r
}

func with(rs ...registers) registers {
	all := registers{}
	for _, r := range rs {
		maps.Copy(all, r)
	}
	return all
}
