package experiment

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pflow/internal/fault"
)

// The details of cells (plans, routes, prompts, replies) are most of an experiment. The page has them in blocks, each some
// cases, packed: a browser unpacks one when a cell of it is opened.
const (
	blockSize  = 1 << 20  // bytes of a block before it is packed, about
	mostBlocks = 20 << 20 // bytes of all blocks in the page; what is more is left out
	keepPlan   = 16 << 10 // bytes of the JSON of a plan
	keepCase   = 8 << 10  // bytes of what a case says beside its request
)

// block is the details of some cases. Texts of one kind stand together, so that what many prompts share is near enough to
// be packed once: gzip looks 32 KB back, and a prompt has at most 12.
type block struct {
	Texts map[string][]string `json:"texts"`
	Cases map[int]blockCase   `json:"cases"` // by the place of the case in the matrix

	at   map[string]map[string]int
	size int
}

type blockCase struct {
	Case  string        `json:"case"`  // JSON, without what the matrix has
	Cells [][]blockPlan `json:"cells"` // variant -> the plans that there are
}

// blockPlan is one repeat. Texts are places in the lists of their kinds.
type blockPlan struct {
	Repeat  int                `json:"repeat"`
	Pass    bool               `json:"pass"`
	Outcome string             `json:"outcome"`
	Words   string             `json:"words"`
	Failed  []string           `json:"failed"`
	Took    map[string]float64 `json:"took"`
	Plan    int                `json:"plan"` // of "plan"
	Steps   []blockStep        `json:"steps"`
}

// blockStep is node, visit, action, because (of "because NODE"), result (of "result NODE"), calls.
type blockStep [6]any

// blockCall is model, prompt (of "prompt NODE"), reply (of "reply NODE"), error.
type blockCall [4]any

func newBlock() *block {
	return &block{Texts: map[string][]string{}, Cases: map[int]blockCase{}, at: map[string]map[string]int{}}
}

// text keeps a text of a kind once, and gives its place; -1 is none.
func (b *block) text(kind, s string) int {
	if s == "" {
		return -1
	}
	known := b.at[kind]
	if known == nil {
		known = map[string]int{}
		b.at[kind] = known
	}
	at, ok := known[s]
	if !ok {
		at = len(b.Texts[kind])
		known[s] = at
		b.Texts[kind] = append(b.Texts[kind], s)
		b.size += len(s)
	}
	return at
}

// add adds what a source has of a case.
func (b *block) add(p *storedPlan) blockPlan {
	out := blockPlan{Repeat: p.Repeat, Pass: p.pass, Outcome: p.outcome, Words: p.inWords, Failed: p.failed, Took: p.took, Plan: b.text("plan", clip(planText(p.plan), keepPlan))}
	if out.Failed == nil {
		out.Failed = []string{}
	}
	out.Steps = make([]blockStep, 0, len(p.steps))
	for _, s := range p.steps {
		calls := make([]blockCall, 0, len(s.Exchange))
		for _, e := range s.Exchange {
			calls = append(calls, blockCall{e.Model, b.text("prompt "+s.Node, e.Prompt), b.text("reply "+s.Node, e.Reply), e.Error})
		}
		out.Steps = append(out.Steps, blockStep{s.Node, s.Visit, s.Action, b.text("because "+s.Node, s.Because), b.text("result "+s.Node, s.Result), calls})
		b.size += 64
	}
	return out
}

// blocks makes the details of the cases, those first that people look at first: on which variants differ, then those that
// fail everywhere, and no more than most bytes of them. It gives the elements, and the block of each case, -1 for one that is left out.
func (r *Report) blocks(most int) (out []string, of []int, err error) {
	of = make([]int, len(r.Matrix))
	order := make([]int, len(r.Matrix))
	for i := range order {
		of[i], order[i] = -1, i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.Matrix[a].dull(), r.Matrix[b].dull()) })
	packed := 0
	b := newBlock()
	flush := func() error {
		if len(b.Cases) == 0 {
			return nil
		}
		text, err := r.pack(b)
		if err != nil {
			return err
		}
		if packed += len(text); packed > most {
			for i := range b.Cases {
				of[i] = -1
			}
			return nil
		}
		out = append(out, fmt.Sprintf(`<script type="text/plain" id="block-%d">%s</script>`+"\n", len(out), text))
		b = newBlock()
		return nil
	}
	for _, i := range order {
		if packed > most {
			return out, of, nil
		}
		if err := r.blockCase(b, i); err != nil {
			return nil, nil, err
		}
		of[i] = len(out)
		if b.size >= blockSize {
			if err := flush(); err != nil {
				return nil, nil, err
			}
		}
	}
	err = flush()
	return out, of, err
}

// dull orders cases by how little there is to see.
func (m *MatrixRow) dull() int {
	passed, failed := false, false
	for _, c := range m.Cells {
		passed = passed || c.Passes > 0
		failed = failed || c.Passes < c.Runs
	}
	switch {
	case passed && failed:
		return 0
	case failed:
		return 1
	}
	return 2
}

func (r *Report) blockCase(b *block, i int) error {
	said, err := r.from[0].store.said(r.from[0].ordOf(i))
	if err != nil {
		return err
	}
	c := blockCase{Case: clip(said, keepCase)}
	b.size += len(c.Case)
	for _, s := range r.from {
		plans := []blockPlan{}
		err := s.store.eachPlan(s.ordOf(i), s.variant, func(p *storedPlan) { plans = append(plans, b.add(p)) })
		if err != nil {
			return err
		}
		c.Cells = append(c.Cells, plans)
	}
	b.Cases[i] = c
	return nil
}

// pack writes a block as JSON, without secrets, packed, in base64.
func (r *Report) pack(b *block) (string, error) {
	data, err := json.Marshal(b)
	if err != nil {
		return "", err
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(r.Masks.Text(string(data)))); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(packed.Bytes()), nil
}

// storedPlan is a row with all it holds.
type storedPlan struct {
	detail
	Repeat int
	pass   bool
	took   map[string]float64
	plan   string
}

// eachPlan hands on the rows of a case under a variant, by repeat.
func (s *Store) eachPlan(ord, variant int, each func(*storedPlan)) error {
	rows, err := s.db.Query(`SELECT repeat, r.pass = 1, r.calls, r.tokens, r.cost_usd, r.latency_ms, r.outcome, r.in_words, r.failed, d.plan, d.steps
		FROM rows r JOIN details d USING (ord, variant, repeat) WHERE ord = ? AND variant = ? ORDER BY repeat`, ord, variant)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		p := &storedPlan{took: map[string]float64{}}
		took := map[Metric]**float64{}
		to := []any{&p.Repeat, &p.pass}
		for _, m := range []Metric{Calls, Tokens, CostUSD, Latency} {
			v := new(*float64)
			took[m], to = v, append(to, v)
		}
		var failed, steps []byte
		if err := rows.Scan(append(to, &p.outcome, &p.inWords, &failed, &p.plan, &steps)...); err != nil {
			return err
		}
		for m, v := range took {
			if *v != nil {
				p.took[string(m)] = **v
			}
		}
		err := json.Unmarshal(failed, &p.failed)
		if err == nil {
			err = json.Unmarshal(steps, &p.steps)
		}
		if err != nil {
			return fault.New(fault.Malformed, "a row of %s cannot be read: %v", s.Dir, err)
		}
		each(p)
	}
	return rows.Err()
}

// said is what a case says beside its request, as JSON.
func (s *Store) said(ord int) (string, error) {
	var body string
	if err := s.db.QueryRow("SELECT body FROM cases WHERE ord = ?", ord).Scan(&body); err != nil {
		return "", err
	}
	said, err := without(body, "id", "group", "request")
	if err != nil {
		return "", fault.New(fault.Malformed, "case %d of %s cannot be read: %v", ord, s.Dir, err)
	}
	return said, nil
}

// planText is a plan without what is of the moment at which it was made: a page of recorded replies is the same each time.
func planText(plan string) string {
	out, err := without(plan, "run_id", "duration_ms")
	if err != nil {
		return plan
	}
	return out
}

// without is a JSON object without some of its keys.
func without(object string, keys ...string) (string, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &m); err != nil {
		return "", err
	}
	for _, key := range keys {
		delete(m, key)
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(m)
	return strings.TrimSuffix(b.String(), "\n"), err
}
