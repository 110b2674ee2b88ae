// Package archive makes archives and unpacks them: zip, tar and tar.gz. What it makes depends on the files alone: entries
// are sorted and have no owner. What it unpacks is not trusted: no entry leaves the folder, whatever its name or a link says,
// and the bytes that come out are counted as they come.
package archive

import (
	"bytes"
	"context"
	"io"
	"strings"

	"pflow/internal/fault"
)

// Format is a kind of archive.
type Format string

// The formats.
const (
	Zip   Format = "zip"
	Tar   Format = "tar"
	TarGz Format = "tar.gz"

	tarBz2 Format = "tar.bz2" // is only read
)

// FormatOf gives the format that a file's name stands for, "" if it stands for none.
func FormatOf(name string) Format {
	name = strings.ToLower(name)
	for _, f := range []struct {
		ending string
		format Format
	}{{".zip", Zip}, {".tar.gz", TarGz}, {".tgz", TarGz}, {".tar", Tar}} {
		if strings.HasSuffix(name, f.ending) {
			return f.format
		}
	}
	return ""
}

// headSize is how much of a file tells its format.
const headSize = 512

// known are the beginnings of files by which formats are told, and what to do about those that are not read here.
var known = []struct {
	at     int
	magic  string
	format Format
	advice string
}{
	{0, "PK\x03\x04", Zip, ""}, {0, "PK\x05\x06", Zip, ""},
	{0, "\x1f\x8b", TarGz, ""}, {0, "BZh", tarBz2, ""}, {257, "ustar", Tar, ""},
	{0, "\xfd7zXZ\x00", "", "an xz file: unpack it with a shell node, such as tar -xJf"},
	{0, "\x28\xb5\x2f\xfd", "", "a zstd file: unpack it with a shell node, such as tar --zstd -xf"},
	{0, "7z\xbc\xaf\x27\x1c", "", "a 7z archive: unpack it with a shell node, such as 7z x"},
	{0, "Rar!", "", "a RAR archive: unpack it with a shell node, such as unrar x"},
}

// formatOf tells the format of a file by its content.
func formatOf(file io.ReaderAt) (Format, error) {
	head := make([]byte, headSize)
	n, err := file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return "", err
	}
	head = head[:n]
	for _, k := range known {
		if len(head) > k.at && bytes.HasPrefix(head[k.at:], []byte(k.magic)) {
			if k.format == "" {
				return "", fault.New(fault.InvalidRequest, "it is %s", k.advice)
			}
			return k.format, nil
		}
	}
	return "", fault.New(fault.InvalidRequest, "it is no zip, tar, tar.gz or tar.bz2 file")
}

// Bounds on what is unpacked, beside those that are asked for.
const (
	maxRatio   = 250      // of what comes out to the archive's size, once more than leastRatio came out
	leastRatio = 64 << 20 // a short file of blanks may well shrink that much
)

// Limits bounds what an archive may unpack to.
type Limits struct {
	Bytes int64
	Files int  // entries, and the folders that their names imply
	Ratio bool // refuse an archive that unpacks to more than 250 times its size
}

// budget counts what comes out of an archive.
type budget struct {
	Limits
	ctx    context.Context
	packed int64 // the archive's size
	out    int64
	files  int
}

func (b *budget) take(n int64) error {
	b.out += n
	if b.out > b.Bytes {
		return fault.New(fault.InvalidRequest, "it unpacks to more than %d bytes; raise max_bytes to have it", b.Bytes)
	}
	if b.Ratio && b.out > leastRatio && b.out/maxRatio > b.packed {
		return fault.New(fault.InvalidRequest, "it unpacks to more than %d times its size, as archives do that are made to fill a disk; give max_bytes to have it", maxRatio)
	}
	return b.ctx.Err()
}

func (b *budget) entry() error {
	if b.files++; b.files > b.Files {
		return fault.New(fault.InvalidRequest, "it holds more than %d files and folders; raise max_files to have it", b.Files)
	}
	return b.ctx.Err()
}

// counted reads within a budget.
type counted struct {
	io.Reader
	budget *budget
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if over := c.budget.take(int64(n)); over != nil {
		return 0, over
	}
	return n, err
}
