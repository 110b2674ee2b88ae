package payload

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"

	"pflow/internal/atomicfile"
)

// files keeps values in a folder, each in a file that its SHA-256 names.
type files struct{ dir string }

func newFiles(dir string) *files { return &files{dir} }

// Name implements converter.StorageDriver. It does not name the folder, which may be another one on each machine.
func (f *files) Name() string { return "files" }

// Type implements converter.StorageDriver.
func (f *files) Type() string { return "pflow.files" }

func (f *files) path(sum string) string { return filepath.Join(f.dir, sum[:2], sum) }

// Store implements converter.StorageDriver.
func (f *files) Store(ctx converter.StorageDriverStoreContext, payloads []*commonpb.Payload) ([]converter.StorageDriverClaim, error) {
	return storeEach(ctx, payloads, func(sum string, text []byte) error {
		path := f.path(sum)
		if there, err := os.ReadFile(path); err == nil {
			if _, err := readBack(there, sum); err == nil {
				return nil
			}
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		return atomicfile.Write(path, 0o600, func(f *os.File) error {
			_, err := f.Write(text)
			return err
		}, func(temp string) error { return os.Rename(temp, path) })
	})
}

// Retrieve implements converter.StorageDriver.
func (f *files) Retrieve(ctx converter.StorageDriverRetrieveContext, claims []converter.StorageDriverClaim) ([]*commonpb.Payload, error) {
	return retrieveEach(ctx, claims, func(sum string) ([]byte, error) {
		text, err := os.ReadFile(f.path(sum))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("the value %s is not in the folder %s: all that begin and run these runs need the same folder, or an s3:// store", sum, f.dir)
		}
		return text, err
	})
}
