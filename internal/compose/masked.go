package compose

import (
	"time"

	"pflow/internal/extract"
)

// Masked is a request with blanks, of the same length, for the values whose words say nothing of what is wanted: quoted
// text and addresses. The ending of a path stays: it tells the sort of file, and so which component works on it.
func Masked(request string, now time.Time) string { return masked(request, now, true) }

// Unvalued is Masked without the endings too: what two requests for other files have in common.
func Unvalued(request string, now time.Time) string { return masked(request, now, false) }

func masked(request string, now time.Time, endings bool) string {
	out := []byte(request)
	for _, e := range extract.Entities(request, now) {
		from, to := e.Start, e.End
		switch e.Kind {
		case extract.Quoted, extract.URL, extract.Email, extract.Version, extract.Repo:
		case extract.Path:
			for k := to - 1; k > from && endings; k-- {
				if request[k] == '.' {
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
