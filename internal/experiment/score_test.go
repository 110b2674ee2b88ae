package experiment

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/llm"
	"pflow/internal/planner"
	"pflow/internal/value"
	"pflow/ir"
)

// planOf makes a plan of JSON with the keys of pflow.plan/v1.
func planOf(t *testing.T, doc string) *planner.Result {
	t.Helper()
	v, err := value.ParseJSON([]byte(doc))
	if err != nil {
		t.Fatalf("%v: %s", err, doc)
	}
	m := v.(map[string]any)
	r := planner.Refuse(nil, nil2{})
	r.Error = nil
	r.Status, _ = m["status"].(string)
	r.Path, r.WorkflowName, r.WorkflowIR = m["path"], m["workflow_name"], m["workflow_ir"]
	if p, ok := m["execution_params"].(map[string]any); ok {
		r.ExecutionParams = p
	}
	if p, ok := m["discovered_params"].(map[string]any); ok {
		r.Discovered = p
	}
	if p, ok := m["missing_params"].([]any); ok {
		r.MissingParams = p
	}
	if p, ok := m["diagnostics"].([]any); ok {
		r.Diagnostics = p
	}
	if n, ok := m["attempts"].(int); ok {
		r.Attempts = n
	}
	if n, ok := m["calls"].(int); ok {
		r.Usage.Calls = n
	}
	return r
}

type nil2 struct{}

func (nil2) Error() string { return "" }

func expectation(t *testing.T, doc string) *Expect {
	t.Helper()
	v, err := value.ParseJSON([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	r := &caseReader{from: lineOrigin{file: "c", line: 1, data: []byte(doc)}, predicates: newPredicates()}
	e := r.expect(nil, v)
	if len(r.found) > 0 {
		t.Fatal(r.found.Text())
	}
	return &e
}

// TestComparable: what counts as the same value, and what not. The pairs are those of the kit's scorer.
func TestComparable(t *testing.T) {
	for _, p := range [][2]any{
		{"$1,200", 1200}, {"March 5, 2024", "2024-03-05"}, {"5th of March 2024", "03/05/2024"}, {"7 PM", "19:00"}, {"New  York!", "new york"},
		{true, "true"}, {3.0, "3"}, {"20%", 20}, {[]any{"A", "b"}, []any{"a", "B"}}, {map[string]any{"a b": 1}, map[string]any{"A_b": "1"}},
		{"T08:30:00", "8:30 am"}, {"ﬁle", "FILE"}, {"a\u00a0b", "a b"}, {"Straße", "strasse"},
	} {
		if comparable(p[0]) != comparable(p[1]) {
			t.Errorf("%v and %v are not the same: %s, %s", p[0], p[1], comparable(p[0]), comparable(p[1]))
		}
	}
	for _, p := range [][2]any{
		{"007", 7}, {"a", "b"}, {1, 2}, {"2024-03-05", "2024-03-06"}, {nil, ""}, {[]any{1}, []any{1, 2}}, {"12345678901234567890", "12345678901234567891"},
		{[]any{"a", "b"}, []any{"a b"}}, {"25:00", "1:00"},
	} {
		if comparable(p[0]) == comparable(p[1]) {
			t.Errorf("%v and %v are the same: %s", p[0], p[1], comparable(p[0]))
		}
	}
}

// TestReadPlan: templates are filled in, and references to nodes become edges. The workflow is that of the kit's scorer.
func TestReadPlan(t *testing.T) {
	components := ir.NewCatalogue(
		&ir.Interface{Name: "get", Outputs: []ir.Port{{Key: "issue_data"}, {Key: "count"}}, Params: []ir.Port{{Key: "raw", Raw: true}}},
		&ir.Interface{Name: "say", Outputs: []ir.Port{{Key: "text"}}})
	p := readPlan(planOf(t, `{"status": "ready", "execution_params": {"num": 7, "owner": "me", "repo": "r-1", "obj": "{\"k\": [1, 2]}"}, "workflow_ir": {
		"nodes": [
			{"id": "get-it", "type": "get", "params": {"n": "${num}", "who": "$owner.", "cost": "5$$", "url": "http://x/${owner}/$repo", "d": "${nope ?? \"main\"}", "gone": "$nope",
				"bool": "${nope ?? true}", "none": "${nope ?? owner ?? 1e3}", "minus": "${nope ?? -2.5}", "key": "${obj[\"k\"][0]}", "null": "${nope ?? null}", "raw": "$owner $1"}},
			{"id": "s", "type": "say", "params": {"a": "${get-it.issue_data.title}", "b": "see $count", "c": ["$get-it.count"], "e": {"deep": ["${num}"]}, "f": "${obj.k[1]}"}},
			{"id": "t", "type": "say", "params": {"x": "$s.text and ${num}", "y": "${lim}"}}],
		"edges": [{"from": "get-it", "to": "s"}, {"from": "s", "to": "t", "action": "error"}], "inputs": {"lim": {"default": 30}, "num": {}, "owner": {}}}}`), components)
	want := []param{
		{"get", "bool", true}, {"get", "cost", "5$"}, {"get", "d", "main"}, {"get", "key", 1}, {"get", "minus", -2.5}, {"get", "n", 7},
		{"get", "none", "me"}, {"get", "raw", "$owner $1"}, {"get", "url", "http://x/me/r-1"}, {"get", "who", "me."},
		{"say", "e", map[string]any{"deep": []any{7}}}, {"say", "f", 2}, {"say", "y", 30},
	}
	if diff := cmp.Diff(want, p.params, cmp.AllowUnexported(param{})); diff != "" {
		t.Errorf("params (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[edge]bool{{"get", "say"}: true, {"say", "say"}: true}, p.refs); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[edge]bool{{"get", "say"}: true}, p.declared); diff != "" {
		t.Errorf("declared edges (-want +got):\n%s", diff)
	}
}

const twoSays = `"workflow_ir": {"ir_version": "0.1.0", "nodes": [{"id": "s1", "type": "say", "params": {"to": "bob"}}, {"id": "s2", "type": "say", "params": {"to": "ANN", "of": "$s1.text"}}], "edges": [{"from": "s1", "to": "s2"}]}`

// TestScore goes through every form of an expectation, with what it says of a plan that is not as expected.
func TestScore(t *testing.T) {
	ready := `{"status": "ready", "path": "generate", "workflow_name": "greet", "attempts": 1, "calls": 3, "discovered_params": {"who": "bob"}, ` + twoSays + `}`
	asks := `{"status": "needs_input", "path": "generate", "attempts": 2, "missing_params": [{"name": "repo"}, {"name": "to"}], ` + twoSays + `}`
	reuse := `{"status": "ready", "path": "reuse", "workflow_name": "greet", ` + twoSays + `}`
	none := `{"status": "infeasible"}`
	broken := `{"status": "failed"}`
	invalid := `{"status": "invalid", "path": "generate", "attempts": 3, "diagnostics": [{"severity": "error", "code": "cycle"}], ` + twoSays + `}`
	for _, c := range []struct{ name, plan, expect, failed string }{
		{"nothing expected", ready, `{}`, ""},
		{"status", ready, `{"status": ["ready", "needs_input"]}`, ""},
		{"another status", asks, `{"status": "ready"}`, "status: want ready, got needs_input"},
		{"path", ready, `{"path": "reuse"}`, "path: want reuse, got generate"},
		{"workflow", reuse, `{"workflow": "greet"}`, ""},
		{"workflow that was generated", ready, `{"workflow": "greet"}`, "workflow: want greet, got none"},
		{"no workflow", reuse, `{"workflow": null}`, "workflow: want none, got greet"},
		{"no workflow, none", none, `{"workflow": null}`, ""},
		{"no workflow, broken", broken, `{"workflow": null}`, "no answer: status failed"},
		{"name", ready, `{"workflow_name": "meet"}`, "workflow_name: want meet, got greet"},
		{"nodes", ready, `{"nodes": ["say", "say"]}`, ""},
		{"other nodes", ready, `{"nodes": ["say", "get"]}`, "nodes: want say, get, got say, say"},
		{"no nodes", none, `{"nodes": []}`, ""},
		{"no nodes, some", ready, `{"nodes": []}`, "nodes: want none, got say, say"},
		{"no nodes, broken", broken, `{"nodes": []}`, "no answer: status failed"},
		{"nodes at least", ready, `{"nodes": {"all": ["say", "say"], "any": ["get", "say"], "none": ["drop"], "order": ["say", "say"]}}`, ""},
		{"nodes in order", ready, `{"nodes": {"order": ["say", "get"]}}`, "nodes: want say, get in this order, got say, say"},
		{"forbidden", ready, `{"nodes": {"none": ["say"]}}`, "nodes: say is forbidden"},
		{"missing", ready, `{"nodes": {"all": ["say", "get"]}}`, "nodes: want at least say, get, got say, say"},
		{"one of", ready, `{"nodes": {"any": ["get"]}}`, "nodes: want one of get, got say, say"},
		{"edges", ready, `{"edges": [["say", "say"]]}`, ""},
		{"other edges", ready, `{"edges": []}`, "edges: want none, got say -> say"},
		{"edge", ready, `{"edges": {"all": [["say", "get"]], "none": [["say", "say"]]}}`, "edges: want say -> get; edges: say -> say is forbidden"},
		{"params", ready, `{"params": [["say", "to", "Ann"], ["say", "*", "BOB"]]}`, ""},
		{"param type", ready, `{"params": [{"node": "say", "key": "to", "type": "string"}, {"node": "say", "key": "To", "value": "bob."}]}`, "params: 1 of 2 as expected, 2 planned"},
		{"params missing", ready, `{"params": [["say", "to", "Ann"]]}`, "params: 1 of 1 as expected, 2 planned"},
		{"params, at least these", ready, `{"params": {"all": [["say", "to", "Ann"]]}}`, ""},
		{"params, at least others", ready, `{"params": {"all": [["say", "to", "Eve"]]}}`, "params: 0 of 1 as expected, 2 planned"},
		{"calls", ready, `{"calls": [{"node": "say", "args": {"to": ["ann", "Eve"], "of": ["x"]}}, {"node": "say", "args": {"to": "bob", "loud": ["", true]}}]}`,
			"calls: 0 of 3 values as expected, or an argument that is not accepted"},
		{"ask", asks, `{"ask": ["to", "repo"]}`, ""},
		{"ask for less", asks, `{"ask": ["repo"]}`, "ask: want repo, got repo, to"},
		{"ask, ready", ready, `{"ask": ["repo"]}`, "ask: want needs_input, got ready"},
		{"abstain", none, `{"abstain": true}`, ""},
		{"abstain, planned", ready, `{"abstain": true}`, "abstain: want no plan, got say, say"},
		{"abstain, broken", broken, `{"abstain": true}`, "no answer: status failed"},
		{"valid", invalid, `{"valid": true}`, "valid: want true, got false"},
		{"not valid", invalid, `{"valid": false}`, ""},
		{"literal", ready, `{"no_request_literal": true}`, "no_request_literal: nodes[0].params.to: \"bob\" is a value of this request"},
		{"max", ready, `{"max": {"calls": 2, "tokens": 10}}`, "max calls: want at most 2, got 3"},
		{"expr", ready, `{"expr": "result.attempts == 1 and result.workflow_name == 'greet'"}`, ""},
		{"expr that does not hold", ready, `{"expr": ["result.attempts > 1"]}`, "result.attempts > 1: does not hold"},
		{"cel", ready, `{"cel": "size(result.workflow_ir.nodes) == 3"}`, "size(result.workflow_ir.nodes) == 3: does not hold"},
		{"expr that breaks", ready, `{"expr": "result.nope.x == 1"}`, "result.nope.x == 1: "},
		{"schema", ready, `{"schema": {"type": "object", "properties": {"status": {"const": "done"}}}}`, "schema: status: value must be 'done'"},
		{"failure expected", broken, `{"status": "failed"}`, ""},
	} {
		e := expectation(t, c.expect)
		s := score(e, readPlan(planOf(t, c.plan), nil), Scoring{EdgesRefs, ParamsAll}, usage{})
		got := strings.Join(s.Failed, "; ")
		if got != c.failed && (c.failed == "" || !strings.HasPrefix(got, c.failed)) {
			t.Errorf("%s: want %q, got %q", c.name, c.failed, got)
		}
		if pass := s.Values[Pass]; (pass == 1) != (len(s.Failed) == 0) {
			t.Errorf("%s: pass %v with %q", c.name, pass, got)
		}
	}
}

// TestMetrics holds values and counts to numbers worked out by hand; those of the first two plans are the kit's.
func TestMetrics(t *testing.T) {
	a := score(expectation(t, `{"nodes": ["get", "say"], "edges": [["get", "say"]], "params": [["get", "n", "7"], ["say", "to", "Ann"]]}`),
		readPlan(planOf(t, `{"status": "needs_input", "attempts": 1, "workflow_ir": {"nodes": [{"id": "g", "type": "get", "params": {"n": "$n", "m": "x"}}], "edges": []}, "execution_params": {"n": 7}}`), nil),
		Scoring{EdgesRefs, ParamsAll}, usage{})
	b := score(expectation(t, `{"nodes": ["say", "say"], "edges": [], "params": [["say", "to", "Ann"], ["say", "to", "Bob"]]}`),
		readPlan(planOf(t, `{"status": "ready", "attempts": 2, `+twoSays+`}`), nil), Scoring{EdgesRefs, ParamsAll}, usage{})
	listed := score(expectation(t, `{"params": [["say", "to", "Ann"], ["say", "*", "bob"], ["get", "n", 1]]}`),
		readPlan(planOf(t, `{"status": "ready", `+twoSays+`}`), nil), Scoring{EdgesRefs, ParamsListed}, usage{})
	for _, c := range []struct {
		name string
		got  Counts
		want Counts
	}{
		{"a nodes", a.Nodes, Counts{1, 1, 2}}, {"a edges", a.Edges, Counts{0, 0, 1}}, {"a params", a.Param, Counts{1, 2, 2}},
		{"b nodes", b.Nodes, Counts{2, 2, 2}}, {"b edges", b.Edges, Counts{0, 1, 0}}, {"b params", b.Param, Counts{2, 2, 2}},
		{"listed", listed.Param, Counts{2, 2, 3}},
	} {
		if c.got != c.want {
			t.Errorf("%s: want %v, got %v", c.name, c.want, c.got)
		}
	}
	for _, c := range []struct {
		s    Score
		m    Metric
		want float64
		none bool
	}{
		{a, NodeF1, 2. / 3, false}, {a, EdgeF1, 0, false}, {a, ParamF1, .5, false}, {a, FirstTry, 1, false},
		{b, NodeF1, 1, false}, {b, EdgeF1, 0, true}, {b, ParamF1, 1, false}, {b, FirstTry, 0, false}, {listed, NodeF1, 0, true},
	} {
		got, ok := c.s.Values[c.m]
		if ok == c.none || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: want %v (none: %v), got %v", c.m, c.want, c.none, got)
		}
	}
}

// TestLatency: waiting for limits is taken off once.
func TestLatency(t *testing.T) {
	p := planOf(t, `{"status": "ready"}`)
	p.DurationMS = 250
	s := score(&Expect{}, readPlan(p, nil), Scoring{}, usage{waitedMS: 200})
	if s.Values[Latency] != 250 || s.Values[NetLatency] != 50 {
		t.Errorf("%v", s.Values)
	}
	s = score(expectation(t, `{"max": {"latency_ms": 1}}`), readPlan(p, nil), Scoring{}, usage{untimed: true})
	if _, timed := s.Values[Latency]; timed || s.Values[Pass] != 1 {
		t.Errorf("with recorded replies: %v, %v", s.Values, s.Failed)
	}
}

// TestUnpricedMax: a cost that is not known is within no limit.
func TestUnpricedMax(t *testing.T) {
	e, p := expectation(t, `{"max": {"cost_usd": 0.5}}`), planOf(t, `{"status": "ready", "calls": 3}`)
	for _, c := range []struct {
		cost   *float64
		failed string
	}{{new(.5), ""}, {new(.6), "max cost_usd: want at most 0.5, got 0.6"}, {nil, "max cost_usd: want at most 0.5, got a plan that is unpriced"}} {
		p.Usage.CostUSD = c.cost
		s := score(e, readPlan(p, nil), Scoring{}, usage{})
		if got := strings.Join(s.Failed, "; "); got != c.failed {
			t.Errorf("want %q, got %q", c.failed, got)
		}
		if _, measured := s.Values[CostUSD]; measured != (c.cost != nil) {
			t.Errorf("%v", s.Values)
		}
	}
}

// TestWaited: calls that wait side by side wait once.
func TestWaited(t *testing.T) {
	at := func(from, to time.Duration) wait {
		return wait{time.Time{}.Add(from * time.Millisecond), time.Time{}.Add(to * time.Millisecond)}
	}
	for _, c := range []struct {
		waits []wait
		want  float64
	}{
		{nil, 0},
		{[]wait{at(10, 30), at(40, 50)}, 30},
		{[]wait{at(40, 50), at(10, 30), at(10, 30)}, 30},
		{[]wait{at(10, 30), at(20, 45), at(45, 50), at(12, 15)}, 40},
	} {
		if got := (&recorder{waits: c.waits}).waited(); got != c.want {
			t.Errorf("%v: want %v ms, got %v", c.waits, c.want, got)
		}
	}
	rec := &recorder{}
	ctx := context.WithValue(context.Background(), askingKey{}, &asking{recorder: rec})
	for range 5 { // at the same time, as far as a call of 10 s can tell
		Answered(ctx, &llm.Reply{Latency: 10 * time.Second, Waited: 8 * time.Second})
	}
	if got := rec.waited(); got < 8000 || got > 9000 {
		t.Errorf("five calls that waited for the same 8 s waited %v ms", got)
	}
}

func TestDiverge(t *testing.T) {
	steps := func(list ...string) []Step {
		var out []Step
		for _, s := range list {
			node, action, _ := strings.Cut(s, ":")
			out = append(out, Step{Node: node, Visit: 1, Action: action})
		}
		return out
	}
	for _, c := range []struct {
		name string
		a, b []Step
		want string
	}{
		{"alike", steps("a:x", "b:y"), steps("a:x", "b:y"), ""},
		{"action", steps("a:x", "b:y", "c:z"), steps("a:x", "b:n"), "at b: y -> n"},
		{"failed", steps("a:x", "b:"), steps("a:x", "b:n"), "at b: failure -> n"},
		{"an action, behind nodes of their own", steps("a1:x", "b:y"), steps("a2:q", "b:n"), "at b: y -> n"},
		{"other nodes", steps("a:x", "b:y"), steps("a:x", "c:y"), "the flows part: b took y -> c took y"},
		{"shorter", steps("a:x"), steps("a:x", "c:y"), "the flows part: had ended -> c took y"},
	} {
		got := ""
		if d := diverge(c.a, c.b); d != nil {
			got = d.inWords()
		}
		if got != c.want {
			t.Errorf("%s: want %q, got %q", c.name, c.want, got)
		}
	}
}
