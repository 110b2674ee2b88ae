package catalogue

import (
	"strings"
	"testing"
)

// TestWording: another text in context.yaml is another text in a context, and a text that is missing is told by its key.
func TestWording(t *testing.T) {
	other := strings.Replace(string(contextText), `"Saved workflows:"`, `"What was kept:"`, 1)
	if w := readWords([]byte(other)); w.workflows != "What was kept:" || w.nodeTypes != wording().nodeTypes {
		t.Errorf("%+v", w)
	}
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, "context.yaml has no forms") {
			t.Errorf("%q", said)
		}
	}()
	readWords([]byte(strings.Replace(string(contextText), "forms:", "form:", 1)))
}
