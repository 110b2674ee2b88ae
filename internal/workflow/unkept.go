package workflow

import (
	"crypto/rand"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// unkept makes what the journal keeps of a node's outputs: those named private, as OUTPUT.KEY, are replaced by a text that
// nothing else can hold. kept is nil if there is nothing of the kind.
func unkept(node string, outputs map[string]any, private []string) (kept map[string]any, marks []string) {
	for _, path := range private {
		name, key, _ := strings.Cut(path, ".")
		inner, _ := outputs[name].(map[string]any)
		if kept != nil {
			if again, ok := kept[name].(map[string]any); ok {
				inner = again
			}
		}
		if _, there := inner[key]; !there {
			continue
		}
		if kept == nil {
			kept = maps.Clone(outputs)
		}
		mark := fmt.Sprintf("[%s of the node %s is not kept: %s]", path, node, rand.Text())
		inner = maps.Clone(inner)
		inner[key] = mark
		kept[name], marks = inner, append(marks, mark)
	}
	return kept, marks
}

// markForm is the form of the texts that unkept makes, as JSON has them.
var markForm = regexp.MustCompile(`\[([^\[\]]+ of the node [^\[\] ]+) is not kept: [A-Z2-7]{26}\]`)

// gone reports that a value holds what the journal of the resumed run did not keep.
func (s *shared) gone(v any) error {
	if s.env.ReadBack {
		if mark := markForm.FindStringSubmatch(value.JSON(v)); mark != nil {
			return fault.New(fault.InvalidRequest, "%s is private and not kept with the run, so no other node has it here; run the workflow where its results stay in one process", mark[1])
		}
		return nil
	}
	if len(s.env.Unkept) == 0 {
		return nil
	}
	text := value.JSON(v)
	for _, mark := range s.env.Unkept {
		if quoted := value.JSON(mark); strings.Contains(text, quoted[1:len(quoted)-1]) {
			what, _, _ := strings.Cut(mark[1:], " is not kept: ")
			return fault.New(fault.InvalidRequest, "%s is masked in the journal, so a resumed run does not have it; run the workflow again from its start", what)
		}
	}
	return nil
}
