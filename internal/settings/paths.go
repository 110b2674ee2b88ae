package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Bounds are the rules over paths, for one working directory. Paths are compared as they really are, symbolic links
// followed. They bind what opens files by a path that it was given; what a program does that a step starts they cannot
// know, so shell and agent are to be denied, too, where they must hold.
type Bounds struct {
	settings    *Settings
	allow, deny []bound
}

type bound struct {
	real string
	rule Rule
}

// Bounds gives the rules over paths; nil: there are none. Relative ones count from dir, ~ is home.
func (s *Settings) Bounds(dir, home string) *Bounds {
	b := &Bounds{settings: s}
	read := func(list []Rule) (out []bound) {
		for _, r := range list {
			if r.Path == "" {
				continue
			}
			p := r.Path
			if p == "~" || strings.HasPrefix(p, "~/") {
				p = home + p[1:]
			}
			if !filepath.IsAbs(p) {
				p = filepath.Join(dir, p)
			}
			out = append(out, bound{realOf(p), r})
		}
		return out
	}
	if b.allow, b.deny = read(s.Allow), read(s.Deny); b.allow == nil && b.deny == nil {
		return nil
	}
	return b
}

// maxLinks bounds how many links that lead to nothing are followed.
const maxLinks = 40

// realOf is a path with the symbolic links of all that is there of it followed.
func realOf(p string) string { return follow(p, maxLinks) }

func follow(p string, links int) string {
	p = filepath.Clean(p)
	rest := ""
	for at := p; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		// A link that points to nothing leads somewhere all the same.
		if target, err := os.Readlink(at); err == nil && links > 0 {
			if !filepath.IsAbs(target) {
				target = filepath.Join(filepath.Dir(at), target)
			}
			return filepath.Join(follow(target, links-1), rest)
		}
		if at == filepath.Dir(at) {
			return p
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

func within(p, prefix string) bool {
	return p == prefix || prefix == string(filepath.Separator) || strings.HasPrefix(p, prefix+string(filepath.Separator))
}

// Refuses gives the rule by which a path is not to be touched, or "". below tells that all below it is touched, too: then a
// folder that holds a denied one is refused.
func (b *Bounds) Refuses(path string, below bool) string {
	if b == nil {
		return ""
	}
	real := realOf(path)
	for _, d := range b.deny {
		if within(real, d.real) || below && within(d.real, real) {
			return fmt.Sprintf("%s (deny %s)", d.rule.Place, d.rule)
		}
	}
	for _, a := range b.allow {
		if within(real, a.real) {
			return ""
		}
	}
	if b.allow != nil {
		return fmt.Sprintf("%s (allow)", b.settings.Places["allow"])
	}
	return ""
}
