// Package layout says where every number of a network layer lies: the weights
// in NVIDIA's buffers, the tokens of images and windows, the words of the
// parameter block. It is a table of places, without arithmetic on values.
//
// A Layer is one of the sixteen network kernels. Its KWeights or MWeights name
// every field of its weight buffer; a Field maps plain indices (row k, column
// n, channel c) to a byte offset, so whoever reads weights needs to know
// neither fragments nor pair order. Weights walks over every single number.
//
// Generate fills weight and token buffers with seeded values under which no
// stage of a layer saturates or vanishes.
package layout
