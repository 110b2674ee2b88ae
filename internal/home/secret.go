package home

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pflow/internal/fault"
)

// Secret gives a secret of a home's folder: 32 random bytes, made at first need, in a file of this name that only its owner can
// read.
func Secret(home, name string) ([]byte, error) {
	file := filepath.Join(home, name)
	key, err := readSecret(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	key = make([]byte, 32)
	rand.Read(key)
	f, err := os.CreateTemp(home, "."+name+"-*") // 0600
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(hex.EncodeToString(key) + "\n")
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Link(f.Name(), file) // unlike a rename it leaves the key of another process that was first
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return readSecret(file)
}

func readSecret(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fault.New(fault.Permission, "%s can be read by others, so it proves nothing; delete it, and a new one is made", file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(data)))
	if err != nil || len(key) != 32 {
		return nil, fault.New(fault.Malformed, "%s is no secret; delete it, and a new one is made", file)
	}
	return key, nil
}
