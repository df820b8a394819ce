// Package fatbin reads the PTX modules that CUDA libraries carry: PE and ELF
// files, or bare fat binaries.
//
// How they are stored. A fat binary is a container: u32 magic 0xBA55ED50, u16
// version 1, u16 header size, u64 payload size. Its payload is a row of entries,
// each a header (its size is a field; 64 bytes and more) and a padded payload:
// PTX as it is, as a raw LZ4 block, or as a zstd frame, or machine code, which
// is passed over. A library holds many containers. Wrappers of 24 bytes (u32
// magic 0x466243B1, u32 version 1, u64 virtual address of the container, u64)
// in the sections .nvFatBi (PE) and .nvFatBinSegment (ELF) point at them. Where
// wrappers do not lead to containers (ELF files that need relocation), the
// sections .nv_fatb and .nv_fatbin or, last, the whole file are scanned.
//
// Invariants:
//   - Text is kept as stored: line ends (CRLF in Windows libraries) are not
//     touched, only NULs at the end are cut off.
//   - Memory is bounded by the largest module of a library, not by the library,
//     except in Read, which collects. No size found in a file is trusted: see
//     Limits.
//   - Errors name the library, the container and the entry with their offsets.
//
// What does not belong here: parsing PTX (apart from finding entry names), and
// which library may vouch for which kernel.
package fatbin
