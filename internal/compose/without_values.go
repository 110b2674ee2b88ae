package compose

import (
	"slices"
	"strings"

	"pflow/internal/extract"
	"pflow/internal/mapparams"
)

// Masked is a request with blanks, of the same length, for the values whose words say nothing of what is wanted: quoted
// text and addresses. The ending of a path stays: it tells the sort of file, and so which component works on it.
func Masked(r *mapparams.Request) string { return masked(r, true) }

// Unvalued is Masked without the endings too: what two requests for other files have in common.
func Unvalued(r *mapparams.Request) string { return masked(r, false) }

// masked is Masked without the endings that no component speaks of as a sort of file: old.log has nothing to do with a component
// that is called log, nor a.mod with a mode.
func (c *composer) masked() string {
	c.known.mu.Lock()
	defer c.known.mu.Unlock()
	if c.known.masked != "" {
		return c.known.masked
	}
	named := func(word string) bool {
		return slices.ContainsFunc(c.usages, func(p *usage) bool { return slices.Contains(p.named, word) })
	}
	described := func(word string) bool {
		return slices.ContainsFunc(c.usages, func(p *usage) bool { return slices.Contains(p.says, word) })
	}
	out := []byte(Masked(c.Request))
	for _, e := range c.Entities {
		if e.Kind != extract.Path {
			continue
		}
		at := strings.LastIndexByte(e.Text, '.')
		if ending := strings.ToLower(e.Text[at+1:]); at < 0 || described(ending) && !named(ending) {
			continue
		}
		for k := e.Start + at; k < e.End; k++ {
			out[k] = ' '
		}
	}
	c.known.masked = string(out)
	return c.known.masked
}

func masked(r *mapparams.Request, endings bool) string {
	out := []byte(r.Text)
	for _, e := range r.Entities {
		from, to := e.Start, e.End
		switch e.Kind {
		case extract.Quoted, extract.URL, extract.Email, extract.Version, extract.Repo:
		case extract.Path:
			for k := to - 1; k > from && endings; k-- {
				if r.Text[k] == '.' {
					to = k
					break
				}
			}
		default:
			continue
		}
		for k := from; k < to; k++ {
			out[k] = ' '
		}
	}
	return string(out)
}
