package nodes

import (
	"path"
	"slices"
	"strings"

	"pflow/internal/fault"
)

// glob chooses files by pattern: *, ? and [a-z] within a name, {a,b} for alternatives, ** for any folders. A pattern
// without a slash is one of names, in whatever folder; one with a slash is one of paths. (?i) before it makes capital and small
// letters alike.
type glob struct {
	anyCase      bool
	alternatives [][]string // each the names of a path, or a single name
	hidden       bool       // some name in it begins with a dot
	dots         bool       // names that begin with a dot match patterns that do not, too
}

// anyCase before a pattern makes capital and small letters alike, as in a regular expression.
const anyCase = "(?i)"

// maxAlternatives bounds what braces come to: each pair multiplies.
const maxAlternatives = 256

func newGlob(pattern string) (*glob, error) {
	rest, folded := strings.CutPrefix(pattern, anyCase)
	if folded {
		rest = strings.ToLower(rest)
	}
	if rest == "" {
		rest = "*"
	}
	all, ok := braces(rest)
	if !ok {
		return nil, fault.New(fault.InvalidRequest, "the pattern %s comes to more than %d alternatives", quote(pattern), maxAlternatives)
	}
	g := &glob{anyCase: folded}
	for _, p := range all {
		parts := strings.Split(p, "/")
		for _, part := range parts {
			if _, err := path.Match(part, ""); err != nil {
				return nil, fault.New(fault.InvalidRequest, "the pattern %s cannot be read: a [ lacks its ], or a backslash what it stands before", quote(pattern))
			}
			if part == "" || part == "." || part == ".." {
				return nil, fault.New(fault.InvalidRequest, "the pattern %s has a part that names no file; give the folder as path", quote(pattern))
			}
			g.hidden = g.hidden || part[0] == '.'
		}
		g.alternatives = append(g.alternatives, parts)
	}
	return g, nil
}

// braces writes {a,b} out. Braces that are not closed, or hold no comma, are text.
func braces(pattern string) (out []string, ok bool) {
	open, depth, cuts := -1, 0, []int(nil)
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '{':
			if depth == 0 {
				open, cuts = i, []int{i}
			}
			depth++
		case c == ',' && depth == 1:
			cuts = append(cuts, i)
		case c == '}' && depth > 0:
			if depth--; depth > 0 || len(cuts) < 2 {
				continue
			}
			cuts = append(cuts, i)
			tails, ok := braces(pattern[i+1:])
			for n := 1; ok && n < len(cuts); n++ {
				var inner []string
				inner, ok = braces(pattern[cuts[n-1]+1 : cuts[n]])
				for _, in := range inner {
					for _, tail := range tails {
						out = append(out, pattern[:open]+in+tail)
					}
				}
				ok = ok && len(out) <= maxAlternatives
			}
			return out, ok
		}
	}
	return []string{pattern}, true
}

// matches reports whether the file at a path is one of those wanted.
func (g *glob) matches(way []string) bool {
	return slices.ContainsFunc(g.alternatives, func(p []string) bool {
		if len(p) == 1 && p[0] != "**" {
			return g.matchName(p[0], way[len(way)-1])
		}
		return g.matchWay(p, way)
	})
}

// ways reports whether a pattern is one of paths.
func (g *glob) ways() bool {
	return slices.ContainsFunc(g.alternatives, func(p []string) bool { return len(p) > 1 })
}

// below reports whether files below a folder can be among those wanted. Hidden folders are for patterns that name them.
func (g *glob) below(way []string, recursive bool) bool {
	if strings.HasPrefix(way[len(way)-1], ".") && !g.hidden {
		return false
	}
	return recursive || slices.ContainsFunc(g.alternatives, func(p []string) bool {
		return len(way) < len(p) || slices.Contains(p, "**")
	})
}

// matchWay matches a path name by name, in time that grows with the product of the lengths, however many ** there are:
// reach[j] says whether the pattern so far can match the first j names.
func (g *glob) matchWay(pattern, way []string) bool {
	reach := make([]bool, len(way)+1)
	reach[0] = true
	for _, p := range pattern {
		next := make([]bool, len(way)+1)
		for j := range reach {
			if p == "**" {
				next[j] = reach[j] || j > 0 && next[j-1] && (g.dots || way[j-1][0] != '.')
			} else if j > 0 {
				next[j] = reach[j-1] && g.matchName(p, way[j-1])
			}
		}
		reach = next
	}
	return reach[len(way)]
}

func (g *glob) matchName(pattern, name string) bool {
	if name[0] == '.' && pattern[0] != '.' && !g.dots {
		return false
	}
	if g.anyCase {
		name = strings.ToLower(name)
	}
	ok, _ := path.Match(pattern, name)
	return ok
}
