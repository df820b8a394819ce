package emu

// runInteger multiplies iu8 and iu4 matrices.
func (v *wmma) runInteger(w *wave) {
	if !v.ready(w) {
		return
	}
	var a, b [16][32]uint8
	var wordsA, wordsB [8]uint32
	per := 32 / v.formatA.bits()
	for row := range 16 {
		v.words(w, v.a, row, &wordsA)
		v.words(w, v.b, row, &wordsB)
		for i := range v.dwords {
			x, y := wordsA[i&7], wordsB[i&7]
			for j := range per {
				shift, mask := j*v.formatA.bits(), uint32(1)<<v.formatA.bits()-1
				a[row][i*per+j], b[row][i*per+j] = uint8(x>>shift&mask), uint8(y>>shift&mask)
			}
		}
	}
	for row := range 16 {
		for column := range 16 {
			reg, lane, _ := v.element(row, column)
			h, l := lane>>5&1, lane&31
			c := v.constant
			if v.c >= 0 {
				c = w.v[h][(v.c+reg)&255][l]
			}
			w.matrixD[h][reg&7][l] = integerDot(a[row][:v.k], b[column][:v.k], v.formatA.bits(), v.signedA, v.signedB, c, v.clamp)
		}
	}
	v.write(w)
}
