// Package home says where pflow keeps its files: settings, flows, prompts, declared nodes, saved workflows, runs and
// experiments. It is asked once, and every reader and writer goes by the one answer.
package home

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Home is the folder, or why there is none. The zero Home is none.
type Home struct {
	dir     string
	source  string
	problem string
}

// ErrNone is the error of Err where nobody says where the home is.
var ErrNone = errors.New("there is no home folder; set PFLOW_HOME or give --home")

// Flag is the source of a home that a flag names.
const Flag = "--home"

// Find gives the home: what the flag --home says, else PFLOW_HOME, else ~/.pflow. A relative path counts from the working
// directory, and ~/ from the user's own folder. The folder need not exist; what is there and is no folder is no home.
func Find(flag string, getenv func(string) string) Home {
	h := Home{source: "default"}
	switch {
	case flag != "":
		h.dir, h.source = flag, Flag
	case getenv("PFLOW_HOME") != "":
		h.dir, h.source = getenv("PFLOW_HOME"), "PFLOW_HOME"
	case getenv("HOME") != "":
		h.dir = "~/.pflow"
	default:
		return Home{source: "neither PFLOW_HOME nor HOME is set"}
	}
	if h.dir == "~" || strings.HasPrefix(h.dir, "~/") {
		if getenv("HOME") == "" {
			h.problem = fmt.Sprintf("the home %s cannot be found, since HOME is not set", h.dir)
			return h
		}
		h.dir = filepath.Join(getenv("HOME"), h.dir[1:])
	}
	dir, err := filepath.Abs(h.dir)
	if err != nil {
		h.problem = fmt.Sprintf("the home %s cannot be found: %v", h.dir, err)
		return h
	}
	h.dir = dir
	if info, err := os.Stat(h.dir); err == nil && !info.IsDir() {
		h.problem = fmt.Sprintf("the home %s is a file, not a folder", h.dir)
	}
	return h
}

// Dir is the folder, absolute; "" if there is no home. What reads finds nothing there then.
func (h Home) Dir() string {
	if h.problem != "" {
		return ""
	}
	return h.dir
}

// Path is a file of the home; "" if there is no home.
func (h Home) Path(parts ...string) string {
	if h.Dir() == "" {
		return ""
	}
	return filepath.Join(append([]string{h.dir}, parts...)...)
}

// Source is what says where the home is: --home, PFLOW_HOME or default, or why nothing does.
func (h Home) Source() string { return h.source }

// Err is why there is no home, and what to do; nil if there is one. What writes asks before, and so does what is about the
// files of a home and nothing else.
func (h Home) Err() error {
	switch {
	case h.problem != "":
		return fmt.Errorf("%s; name a folder by PFLOW_HOME or --home", h.problem)
	case h.dir == "":
		return ErrNone
	}
	return nil
}
