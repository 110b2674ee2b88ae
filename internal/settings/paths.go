package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	places []string
	rule   Rule
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
			out = append(out, bound{placesOf(p), r})
		}
		return out
	}
	if b.allow, b.deny = read(s.Allow), read(s.Deny); b.allow == nil && b.deny == nil {
		return nil
	}
	return b
}

// placesOf are the places that a path stands for: what it leads to, and, if it is a link, the link itself, which lies in the
// folder that it lies in. Behind a link a/../b is not b: systems go back from where the link leads, programs that tidy a
// path first do not, so both are meant.
func placesOf(p string) []string {
	var out []string
	for _, way := range []string{physical(p), filepath.Clean(p)} {
		for _, place := range []string{realOf(way), filepath.Join(realOf(filepath.Dir(way)), filepath.Base(way))} {
			if !slices.Contains(out, place) {
				out = append(out, place)
			}
		}
	}
	return out
}

// physical is a path without .., each of which goes back from where what is before it really is.
func physical(p string) string {
	parts := strings.Split(p, string(filepath.Separator))
	at := string(filepath.Separator)
	for _, part := range parts {
		switch part {
		case "", ".":
		case "..":
			at = filepath.Dir(realOf(at))
		default:
			at = filepath.Join(at, part)
		}
	}
	return at
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
	places := placesOf(path)
	for _, d := range b.deny {
		for _, at := range places {
			if d.holds(at) || below && slices.ContainsFunc(d.places, func(denied string) bool { return within(denied, at) }) {
				return fmt.Sprintf("%s (deny %s)", d.rule.Place, d.rule)
			}
		}
	}
	if b.allow == nil {
		return ""
	}
	for _, at := range places {
		if !slices.ContainsFunc(b.allow, func(a bound) bool { return a.holds(at) }) {
			return fmt.Sprintf("%s (allow)", b.settings.Places["allow"])
		}
	}
	return ""
}

func (b bound) holds(place string) bool {
	return slices.ContainsFunc(b.places, func(prefix string) bool { return within(place, prefix) })
}
