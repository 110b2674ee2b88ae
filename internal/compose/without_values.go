package compose

import (
	"pflow/internal/extract"
	"pflow/internal/mapparams"
)

// Masked is a request with blanks, of the same length, for the values whose words say nothing of what is wanted: quoted
// text and addresses. The ending of a path stays: it tells the sort of file, and so which component works on it.
func Masked(r *mapparams.Request) string { return masked(r, true) }

// Unvalued is Masked without the endings too: what two requests for other files have in common.
func Unvalued(r *mapparams.Request) string { return masked(r, false) }

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
