// Package split lets several planner flows share the requests of a home, and tells which of them people get on with.
//
//	PFLOW_HOME/split.key    salts the assignment: two homes split differently
//	PFLOW_HOME/split.jsonl  what was assigned and what came of it, a line each, only ever added to; see Ledger
//
// A request is assigned by a keyed hash of its text (Split.Choose) and is one unit, whatever it is asked for again. What came of a
// unit is read from the history of runs (History), and is added to the ledger once it is settled, so that it stays when runs
// are pruned. Compare holds the arms against each other, at any time and as often as anybody looks.
package split

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Arm is a planner flow that gets a share of the requests.
type Arm struct {
	Flow   string  `json:"flow"`   // its name, or the absolute path of its file
	Weight float64 `json:"weight"` // its share is this over the sum of all; 0 gets none
}

// Split is the arms among which requests are split, two or more, the one that the others are held against first.
type Split []Arm

// MostArms bounds the arms of a split.
const MostArms = 10

// Check gives what is wrong with a split, "" if nothing, and the arm that it is about, -1 where it is about all.
func (s Split) Check() (why string, arm int) {
	if len(s) < 2 {
		return "a split has two planner flows or more, as in {planner: 90, mine: 10}; to plan with one of them always, name it as flow", -1
	}
	if len(s) > MostArms {
		return fmt.Sprintf("a split has %d planner flows at most: with more no difference would ever be seen", MostArms), -1
	}
	for i, a := range s {
		switch {
		case strings.TrimSpace(a.Flow) == "":
			return "want the name or the file of a planner flow", i
		case slices.ContainsFunc(s[:i], func(b Arm) bool { return b.Flow == a.Flow }):
			return fmt.Sprintf("%s stands there twice", a.Flow), i
		case !(a.Weight > 0) || a.Weight > mostWeight:
			return fmt.Sprintf("the weight of %s is a number above 0 and at most %d; an arm that is to get nothing is left out, or stopped", a.Flow, int(mostWeight)), i
		}
	}
	return "", -1
}

const mostWeight = 1e6

// Parse reads A=90,B=10.
func Parse(text string) (Split, error) {
	var out Split
	for _, part := range strings.Split(text, ",") {
		at := strings.LastIndexByte(part, '=')
		if at < 0 {
			return nil, fmt.Errorf("%q: want FLOW=WEIGHT, as in planner=90,mine=10", strings.TrimSpace(part))
		}
		weight, err := strconv.ParseFloat(strings.TrimSpace(part[at+1:]), 64)
		if err != nil {
			return nil, fmt.Errorf("%q: the weight is no number; want FLOW=WEIGHT, as in planner=90,mine=10", strings.TrimSpace(part))
		}
		out = append(out, Arm{strings.TrimSpace(part[:at]), weight})
	}
	if why, _ := out.Check(); why != "" {
		return nil, fmt.Errorf("%s", why)
	}
	return out, nil
}

// String is a split as --split takes it.
func (s Split) String() string {
	parts := make([]string, len(s))
	for i, a := range s {
		parts[i] = a.Flow + "=" + strconv.FormatFloat(a.Weight, 'g', -1, 64)
	}
	return strings.Join(parts, ",")
}

// Flows are the flows of the arms, in order.
func (s Split) Flows() []string {
	out := make([]string, len(s))
	for i, a := range s {
		out[i] = a.Flow
	}
	return out
}

// weight is that of a flow, 0 if it is no arm.
func (s Split) weight(flow string) float64 {
	for _, a := range s {
		if a.Flow == flow {
			return a.Weight
		}
	}
	return 0
}

// Without is the split with those arms at weight 0.
func (s Split) Without(flows []string) Split {
	out := slices.Clone(s)
	for i := range out {
		if slices.Contains(flows, out[i].Flow) {
			out[i].Weight = 0
		}
	}
	return out
}

// normal is the text of a request without what does not make it another one: case, blanks, and the mark it ends with.
func normal(request string) string {
	return strings.TrimRight(strings.ToLower(strings.Join(strings.Fields(request), " ")), ".!?… ")
}

// Unit names a request in the ledger, by a keyed hash: whoever has the ledger and not the key cannot tell what was asked for.
func Unit(key []byte, request string) string {
	return hex.EncodeToString(mac(key, "unit", normal(request))[:8])
}

// Choose gives the arm of a request. It is weighted rendezvous hashing (Thaler and Ravishankar, IEEE/ACM Transactions on Networking 6,
// 1998; weights as in Schindelhauer and Schomaker, SPAA 2005): each arm draws an exponential waiting time at the rate of its
// weight, from the key, its name and the request, and the first wins. So an arm wins with the chance of its share, and where a
// weight changes only requests of that arm move, or to it.
func (s Split) Choose(key []byte, request string) Arm {
	best, first := Arm{}, math.Inf(1)
	for _, a := range s {
		if a.Weight <= 0 {
			continue
		}
		bits := binary.BigEndian.Uint64(mac(key, "arm", a.Flow, normal(request)))
		u := (float64(bits>>11) + .5) / (1 << 53) // above 0 and below 1
		if wait := -math.Log(u) / a.Weight; wait < first {
			best, first = a, wait
		}
	}
	return best
}

// mac is the HMAC-SHA-256 of texts.
func mac(key []byte, texts ...string) []byte {
	h := hmac.New(sha256.New, key)
	for _, t := range texts {
		fmt.Fprintf(h, "%d:%s", len(t), t)
	}
	return h.Sum(nil)
}
