// Package pack makes of a release what is handed out: archives, an SPDX bill of
// materials, SLSA provenance, sums and signatures; and it reads archives back
// and looks for what must not be in them.
//
//	d4r-kernels-1.0-nonvidia-network.tar.zst            all sets of the families that the archive block names
//	d4r-kernels-1.0-nonvidia-network-gfx1201.tar.zst    one set of them
//	d4r-kernels-1.0-full.zip                            rooted at d4r/kernels, to be unpacked over an installed d4r
//	d4r-kernels-1.0-full.spdx.json, ....provenance.json one of each for an archive block
//	SHA256SUMS, B3SUMS                                  of all of these
//	*.minisig                                           of all of these and both lists, where there is a key
//
// Invariants:
//   - What an archive holds is a release of its own: manifests that speak of
//     exactly its files, so release.VerifyDir proves it once it is unpacked.
//   - Equal releases give equal bytes, whoever packs them where: entries are
//     sorted, owned by 0:0, of mode 0644 (folders 0755) and one time, compressed
//     by one compressor of one version with fixed settings in one thread;
//     identifiers are derived from digests.
//   - Only a release that is whole, by its manifests, is packed. Folders of
//     archives appear whole, or what was there stays.
//   - An object that may not be passed on enters only an archive that is
//     declared redistributable = false, and Scan passes every file.
//   - An archive that this package would not write, bit by bit but for what the
//     compressor chose, is not read: nothing hides between its entries.
//
// Proving a folder or an archive against all of this for people, comparing
// releases and choosing a set are release/verify's.
package pack
