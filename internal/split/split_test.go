package split

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func requests(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("copy report-%d.txt to backup/%d", i, i*i)
	}
	return out
}

// TestChoose assigns by share, the same text alike, another home differently.
func TestChoose(t *testing.T) {
	s, key := Split{{"a", 60}, {"b", 30}, {"c", 10}}, []byte("one home")
	got := map[string]float64{}
	same := 0
	texts := requests(20_000)
	for _, text := range texts {
		arm := s.Choose(key, text).Flow
		got[arm]++
		if s.Choose([]byte("another home"), text).Flow == arm {
			same++
		}
		if again := s.Choose(key, "  "+strings.ToUpper(text)+".\n").Flow; again != arm {
			t.Fatalf("%q goes to %s, and to %s in capitals", text, arm, again)
		}
	}
	for _, a := range s {
		share := a.Weight / 100
		if seen, sd := got[a.Flow]/float64(len(texts)), math.Sqrt(share*(1-share)/float64(len(texts))); math.Abs(seen-share) > 4*sd {
			t.Errorf("%s gets %.4f, want %.2f", a.Flow, seen, share)
		}
	}
	if want, seen := .6*.6+.3*.3+.1*.1, float64(same)/float64(len(texts)); math.Abs(seen-want) > .02 {
		t.Errorf("two homes agree on %.3f of the requests, want %.3f: as if by chance", seen, want)
	}
}

// TestChooseMoves: what changes moves only requests of the arm that changes, or to it, and no more than it has to.
func TestChooseMoves(t *testing.T) {
	key, texts := []byte("home"), requests(20_000)
	for _, c := range []struct {
		name     string
		was, is  Split
		to, from string // the arm that all moves go to, or come from
		moves    float64
	}{
		{"more for c", Split{{"a", 60}, {"b", 30}, {"c", 10}}, Split{{"a", 60}, {"b", 30}, {"c", 30}}, "c", "", 30./120 - .1},
		{"less for a", Split{{"a", 60}, {"b", 30}, {"c", 10}}, Split{{"a", 40}, {"b", 30}, {"c", 10}}, "", "a", .6 - .5},
		{"b is stopped", Split{{"a", 60}, {"b", 30}, {"c", 10}}, Split{{"a", 60}, {"b", 30}, {"c", 10}}.Without([]string{"b"}), "", "b", .3},
		{"all doubled", Split{{"a", 60}, {"b", 40}}, Split{{"a", 120}, {"b", 80}}, "", "", 0},
	} {
		moved := 0.
		for _, text := range texts {
			was, is := c.was.Choose(key, text).Flow, c.is.Choose(key, text).Flow
			if was == is {
				continue
			}
			moved++
			if c.to != "" && is != c.to || c.from != "" && was != c.from {
				t.Errorf("%s: %q moves from %s to %s", c.name, text, was, is)
			}
		}
		if seen := moved / float64(len(texts)); math.Abs(seen-c.moves) > .012 {
			t.Errorf("%s moves %.4f, want %.4f", c.name, seen, c.moves)
		}
	}
}

func TestParse(t *testing.T) {
	got, err := Parse("planner=90, ./a=b.yaml=2.5")
	if err != nil || got.String() != "planner=90,./a=b.yaml=2.5" {
		t.Errorf("%v %v", got, err)
	}
	for text, want := range map[string]string{
		"a":                                `"a": want FLOW=WEIGHT`,
		"a=1":                              "two planner flows or more",
		"a=1,b=x":                          `"b=x": the weight is no number`,
		"a=1,b=0":                          "the weight of b is a number above 0",
		"a=1,b=-3":                         "the weight of b",
		"a=1,b=NaN":                        "the weight of b",
		"a=1,b=Inf":                        "the weight of b",
		"a=1,a=2":                          "a stands there twice",
		"a=1,=2":                           "want the name or the file",
		"a=1,,b=2":                         `"": want FLOW=WEIGHT`,
		strings.Repeat("a=1,", 10) + "b=1": "10 planner flows at most",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestLedger has many writers at once, one that died in the midst of a line, and a line that is none.
func TestLedger(t *testing.T) {
	dir := t.TempDir()
	l, arms := LedgerOf(dir), Split{{"a", 1}, {"b", 1}}
	if s, err := l.Read(); err != nil || s.Last() != nil || l.Exists() {
		t.Fatal(s, err)
	}
	begin := func(i int) error {
		text := requests(i + 1)[i]
		return l.Begin([]byte("key"), text, fmt.Sprintf("run%d", i), arms, arms.Choose([]byte("key"), text).Flow, "hash", Person, time.Now())
	}
	var wait sync.WaitGroup
	for i := range 20 {
		wait.Go(func() {
			if err := begin(i); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	file := filepath.Join(dir, File)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(data, []byte("report")) || bytes.Contains(data, []byte("copy")) {
		t.Errorf("it tells of requests:\n%s", data)
	}
	if info, _ := os.Stat(file); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if err := os.WriteFile(file, append(data, []byte(`{"e":"plan","run":"torn`)...), 0o600); err != nil {
		t.Fatal(err)
	}
	units := func() int {
		s, err := l.Read()
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, trial := range s.trials {
			n += len(trial.units)
		}
		return n
	}
	if units() != 20 {
		t.Errorf("%d units, want 20", units())
	}
	if err := begin(20); err != nil {
		t.Fatal(err)
	}
	if units() != 21 {
		t.Errorf("after a torn line %d units, want 21", units())
	}
	if err := os.WriteFile(file, append([]byte("{}\n"), data...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Read(); err == nil || !strings.Contains(err.Error(), File+":1: this is no line") {
		t.Error(err)
	}
}
