package mapparams

import "pflow/internal/retrieve"

// role is the part that a value plays in what is done.
type role int

const (
	noRole role = iota
	sourceRole
	targetRole
)

// roleOfName reads the name of an input: what programs call the two ends of a way.
func roleOfName(name string) role {
	for _, w := range retrieve.Words(name) {
		switch w.Text {
		case "source", "src", "read", "from", "origin", "start", "begin", "departure", "sender", "old", "initial", "min", "lower", "base":
			return sourceRole
		case "target", "dest", "write", "save", "destination", "dst", "to", "end", "arrival", "recipient", "receiver", "output", "new", "final", "max", "upper", "finish", "where":
			return targetRole
		}
	}
	return noRole
}

var prepositions = map[string]bool{
	"from": true, "of": true, "to": true, "into": true, "onto": true, "as": true, "at": true, "in": true, "under": true, "on": true, "by": true, "for": true,
	"with": true, "between": true, "and": true, "near": true, "since": true, "until": true, "till": true, "before": true, "after": true, "inside": true,
	"within": true, "named": true, "called": true, "titled": true, "about": true, "using": true, "via": true, "through": true,
	"featuring": true, "starring": true, // participles that stand as prepositions do
}

// roleScore says how well the preposition before a value suits an input.
func roleScore(r role, w wants, preposition string) float64 {
	switch preposition {
	case "from", "since", "after", "between":
		switch r {
		case sourceRole:
			return good
		case targetRole:
			return -good
		}
		if preposition == "from" && w == wantsPlace {
			return some
		}
	case "to", "into", "onto", "until", "till", "before", "as":
		switch r {
		case targetRole:
			return good
		case sourceRole:
			return -good
		}
	case "with":
		switch r {
		case sourceRole:
			return some
		case targetRole:
			return -some
		}
	case "of":
		switch r {
		case targetRole:
			return -some
		case sourceRole:
			return some
		}
	case "in", "near", "at", "inside", "under", "within":
		switch {
		case r == targetRole:
			return fair
		case r == sourceRole:
			return -some
		case w == wantsPlace || w == wantsPath:
			return some
		}
	case "on":
		if w == wantsDate {
			return some
		}
	case "featuring", "starring":
		if w == wantsPerson {
			return fair
		}
	case "by":
		switch w {
		case wantsPerson:
			return fair
		case wantsName:
			return -some
		}
	case "named", "called", "titled":
		if w == wantsName || w == wantsPerson || r == targetRole {
			return fair
		}
	case "about":
		if w == wantsText {
			return some
		}
	}
	return 0
}
