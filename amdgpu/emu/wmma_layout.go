package emu

// Between lanes and matrices.

// checkReplicated is a fault when the groups of 16 lanes of an operand differ.
func (v *wmma) checkReplicated(w *wave, name string, first int) bool {
	for r := first; r < first+v.registersA; r++ {
		x := &w.v[0][r&255]
		for l := 16; l < 32*v.halves; l++ {
			if y := w.v[l>>5][r&255][l&31]; y != x[l&15] {
				w.fail(ReplicationBroken, l, "operand %s, v%d: lane %d holds 0x%08x, lane %d 0x%08x", name, r, l, y, l&15, x[l&15])
				return false
			}
		}
	}
	return true
}

// words gathers the K vector of a row of an operand, as far as it reaches.
func (v *wmma) words(w *wave, first, row int, k *[8]uint32) {
	if v.replicated {
		for i := range v.registersA {
			k[i&7] = w.v[0][(first+i)&255][row&31]
		}
		return
	}
	for i, lane := 0, row; i < v.dwords; lane += 16 {
		half := &w.v[lane>>5&1]
		for r := range v.registersA {
			k[i&7] = half[(first+r)&255][lane&31]
			i++
		}
	}
}

// reader makes what turns registers into an operand of a type.
func (v *wmma) reader(f wmmaFormat) func(w *wave, first int, o *wmmaOperand) {
	if f.bits() == 16 {
		return func(w *wave, first int, o *wmmaOperand) {
			var k [16]uint16
			var words [8]uint32
			for row := range 16 {
				v.words(w, first, row, &words)
				for i, x := range words {
					k[2*i], k[2*i+1] = uint16(x), uint16(x>>16)
				}
				if f == wmmaTypeF16 {
					o.setF16(row, &k)
				} else {
					o.setBF16(row, &k)
				}
			}
		}
	}
	return func(w *wave, first int, o *wmmaOperand) {
		var k [16]uint8
		var words [8]uint32
		for row := range 16 {
			v.words(w, first, row, &words)
			for i, x := range words[:4] {
				k[4*i], k[4*i+1], k[4*i+2], k[4*i+3] = uint8(x), uint8(x>>8), uint8(x>>16), uint8(x>>24)
			}
			if f == wmmaTypeFP8 {
				o.setFP8(row, &k)
			} else {
				o.setBF8(row, &k)
			}
		}
	}
}

// element says where row and column of C and D lie: register, lane and, of
// 16-bit results, the shift.
func (v *wmma) element(row, column int) (reg, lane int, shift uint) {
	if v.target == gfx11 {
		groups := 2 * v.halves
		if v.high {
			shift = 16
		}
		return row / groups, column + 16*(row%groups), shift
	}
	reg, lane = row%8, column+16*(row/8)
	if v.halves == 2 { // each half of the wave has two groups of four rows, alternately
		reg, lane = row%4, lane+32*(row/4%2)
	}
	if v.sixteenBitWide {
		return reg / 2, lane, uint(16 * (reg % 2))
	}
	return reg, lane, 0
}

func (v *wmma) write(w *wave) {
	for h := range v.halves {
		for r := range v.registers {
			w.v[h][(v.d+r)&255] = w.matrixD[h][r]
		}
	}
}
