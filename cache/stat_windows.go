package cache

import (
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// statPath identifies a file by its path and its time of creation; reading its
// number would need an open file.
func statPath(path string) (stat, error) {
	info, err := os.Stat(path)
	if err != nil {
		return stat{}, err
	}
	return fromInfo(path, info)
}

func statFile(f *os.File) (stat, error) {
	info, err := f.Stat()
	if err != nil {
		return stat{}, err
	}
	return fromInfo(f.Name(), info)
}

func fromInfo(path string, info fs.FileInfo) (stat, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return stat{}, err
	}
	d := Sum([]byte(strings.ToLower(abs)))
	s := stat{
		ino:   binary.LittleEndian.Uint64(d[:8]),
		size:  info.Size(),
		mtime: info.ModTime().UnixNano(),
		mode:  uint32(info.Mode().Perm()),
	}
	if info.Mode().IsRegular() {
		s.mode |= modeRegular
	} else {
		s.size = 0 // of a folder: means nothing
	}
	if a, ok := info.Sys().(*syscall.Win32FileAttributeData); ok {
		s.ctime = a.CreationTime.Nanoseconds()
	}
	return s, nil
}
