package settings_test

import (
	"os"
	"testing"

	"pflow/internal/home"
	"pflow/internal/settings"
)

// TestKeepModel: what stood in the file stays, and what cannot be added to is left alone.
func TestKeepModel(t *testing.T) {
	for _, c := range []struct{ before, after string }{
		{"", "model: \"a/b\"\n"},
		{"# mine\ndeny: [shell] # no", "# mine\ndeny: [shell] # no\nmodel: \"a/b\"\n"},
		{"{deny: [shell]}\n", ""},
		{"model: x/y\n", ""},
		{"deny: [", ""},
	} {
		h := home.Find(t.TempDir(), func(string) string { return "" })
		file := h.Path(settings.File)
		if c.before != "" {
			if err := os.WriteFile(file, []byte(c.before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		err := settings.KeepModel(h, "a/b")
		want := c.after
		if want == "" {
			want = c.before
		}
		got, _ := os.ReadFile(file)
		if string(got) != want || (err == nil) != (c.after != "") {
			t.Errorf("%q became %q, %v; want %q", c.before, got, err, want)
		}
		if info, err := os.Stat(file); c.before == "" && (err != nil || info.Mode().Perm() != 0o600) {
			t.Error(info, err)
		}
	}
}
