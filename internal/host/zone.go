package host

import (
	"path/filepath"
	"strings"
	"time"
)

// Zone is the name of the machine's time zone, "" if it has none that can be found: what TZ names, else what /etc/localtime links to.
func (h *Host) Zone() string {
	name := strings.TrimPrefix(h.Getenv("TZ"), ":")
	if name == "" {
		if target, err := filepath.EvalSymlinks("/etc/localtime"); err == nil {
			_, name, _ = strings.Cut(filepath.ToSlash(target), "/zoneinfo/")
		}
	}
	if _, err := time.LoadLocation(name); err != nil || name == "" {
		if _, offset := time.Now().Zone(); offset == 0 {
			return "UTC"
		}
		return ""
	}
	return name
}
