package nodes

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// FindProgram finds a program on the PATH of an environment, or by a path that is absolute or begins with ~/; "" where there is
// none. Relative folders on the PATH are skipped: what lies in the working directory may be a stranger's.
func FindProgram(getenv func(string) string, name string) string {
	if getenv == nil {
		return ""
	}
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		name = filepath.Join(getenv("HOME"), rest)
	}
	if filepath.IsAbs(name) {
		return program(name)
	}
	for _, dir := range filepath.SplitList(getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if found := program(filepath.Join(dir, name)); found != "" {
			return found
		}
	}
	return ""
}

// program is the path of a program, "" if none is there.
func program(path string) string {
	for _, suffix := range []string{"", ".exe", ".cmd", ".bat"} {
		if suffix != "" && runtime.GOOS != "windows" {
			break
		}
		if info, err := os.Stat(path + suffix); err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
			return path + suffix
		}
	}
	return ""
}
