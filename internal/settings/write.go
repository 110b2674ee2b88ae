package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"pflow/internal/atomicfile"
	"pflow/internal/home"
	"pflow/internal/value"
)

// KeepModel writes the model into the settings of a home that name none. What the file holds stays as it is, comments
// included; the file is made, or replaced as a whole, or left alone with an error.
func KeepModel(h home.Home, model string) error {
	file := h.Path(File)
	if file == "" {
		return errors.New("there is no home to keep it in")
	}
	before, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text := before
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text[:len(text):len(text)], '\n')
	}
	text = fmt.Appendf(text, "model: %s\n", value.JSON(model))
	if s, found := Parse(file, text); found.HasErrors() || s.Model != model {
		return fmt.Errorf("%s has a form that nothing can be added to: write model: %s into it", file, model)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(file, 0o600, func(f *os.File) error {
		_, err := f.Write(text)
		return err
	}, func(temp string) error { return os.Rename(temp, file) })
}
