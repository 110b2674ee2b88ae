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
		case "source", "src", "from", "origin", "start", "begin", "departure", "sender", "old", "initial", "min", "lower", "base":
			return sourceRole
		case "target", "dest", "destination", "dst", "to", "end", "arrival", "recipient", "receiver", "output", "new", "final", "max", "upper", "finish", "where":
			return targetRole
		}
	}
	return noRole
}

var prepositions = map[string]bool{
	"from": true, "of": true, "to": true, "into": true, "onto": true, "as": true, "at": true, "in": true, "under": true, "on": true, "by": true, "for": true,
	"with": true, "between": true, "and": true, "near": true, "since": true, "until": true, "till": true, "before": true, "after": true, "inside": true,
	"within": true, "named": true, "called": true, "titled": true, "about": true, "using": true, "via": true, "through": true,
}

// roleScore says how well the preposition before a value suits an input.
func roleScore(r role, w wants, preposition string) float64 {
	switch preposition {
	case "from", "since", "after", "between":
		switch r {
		case sourceRole:
			return 1.8
		case targetRole:
			return -1.8
		}
		if preposition == "from" && w == wantsPlace {
			return 0.5
		}
	case "to", "into", "onto", "until", "till", "before", "as":
		switch r {
		case targetRole:
			return 1.8
		case sourceRole:
			return -1.8
		}
	case "of":
		switch r {
		case targetRole:
			return -0.8
		case sourceRole:
			return 0.6
		}
	case "in", "near", "at", "inside", "under", "within":
		switch {
		case r == targetRole:
			return 1.2
		case r == sourceRole:
			return -0.8
		case w == wantsPlace || w == wantsPath:
			return 0.8
		}
	case "on":
		if w == wantsDate {
			return 0.5
		}
	case "by":
		if w == wantsName {
			return 0.6
		}
	case "named", "called", "titled":
		if w == wantsName || r == targetRole {
			return 1.2
		}
	case "about":
		if w == wantsText {
			return 0.8
		}
	}
	return 0
}
