package nodes

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"pflow/internal/compose"
	"pflow/internal/library"
	"pflow/internal/mapparams"
	"pflow/internal/retrieve"
	"pflow/internal/value"
	"pflow/ir"
)

// raise puts the saved workflow that would be made again for a request at the head of the ranking, however other its
// words are. A form that many saved workflows share says nothing of any of them.
func (s *candidates) raise(ctx context.Context, ranked []retrieve.Ranked, request *mapparams.Request) (raised int, err error) {
	const (
		most = 3
		sure = 0.9
	)
	result, err := s.compose(ctx, request)
	if err != nil {
		return -1, err
	}
	if result.Workflow == nil {
		if result.Partial {
			err = s.lower(ctx, ranked, "", request.Now)
		}
		return -1, err
	}
	form := formOf(result.Workflow)
	if err := s.lower(ctx, ranked, form, request.Now); err != nil {
		return -1, err
	}
	best, n := -1, 0
	for k, r := range ranked {
		if s.form(s.Records[r.Index]) == form {
			if n++; best < 0 {
				best = k
			}
		}
	}
	if best < 0 || n > most {
		return -1, nil
	}
	if ranked[best].Confidence < sure {
		ranked[best].Confidence, ranked[best].Reason = sure, "is the workflow that would be made for the request"
	}
	return ranked[best].Index, nil
}

// lower takes off confidence in the first saved workflows that were made of a request in the way in which another one, or
// none, would be made now: what is composed differently is another wish, whatever words the two share. form is "" for none.
func (s *candidates) lower(ctx context.Context, ranked []retrieve.Ranked, form string, now time.Time) error {
	const (
		first = 3
		left  = 0.2
	)
	for k := range ranked[:min(first, len(ranked))] {
		r := s.Records[ranked[k].Index]
		own := s.form(r)
		if own == form || len(r.Examples) == 0 {
			continue
		}
		example, err := mapparams.Read(ctx, r.Examples[0], now)
		if err != nil {
			return err
		}
		made, err := s.compose(ctx, example)
		if err != nil {
			return err
		}
		if made.Workflow != nil && formOf(made.Workflow) == own {
			ranked[k].Confidence = math.Round(left*ranked[k].Confidence*1e4) / 1e4
		}
	}
	return nil
}

// compose makes the workflow for a request out of node types alone.
func (s *candidates) compose(ctx context.Context, request *mapparams.Request) (compose.Result, error) {
	const most = 200 // as in planner-offline: what reads and writes has none of the words of a request
	all := s.Catalogue.All()
	ranked, err := s.componentIndex().Rank(ctx, compose.Masked(request))
	if err != nil {
		return compose.Result{}, err
	}
	var some []*ir.Interface
	for _, r := range ranked {
		if c := all[r.Index]; !c.Workflow && len(some) < most && (r.Confidence > 0 || len(all) <= most) {
			some = append(some, c)
		}
	}
	return compose.Compose(ctx, request, some, compose.Options{})
}

// form is formOf a saved workflow, worked out once.
func (s *candidates) form(r *library.Record) string {
	if form, ok := s.forms.Load(r); ok {
		return form.(string)
	}
	form, _ := s.forms.LoadOrStore(r, formOf(r.Workflow))
	return form.(string)
}

// formOf writes what a workflow does without the names that it gives to nodes and inputs.
func formOf(w *ir.Workflow) string {
	var b strings.Builder
	for _, n := range w.Nodes {
		fmt.Fprintf(&b, "%s %s\n", n.Type, formText(w, value.JSON(plainParams(n.Params))))
	}
	for _, e := range w.Edges {
		fmt.Fprintf(&b, "%d %s %d\n", w.Node(e.From), e.Action, w.Node(e.To))
	}
	return b.String()
}

// formText writes the templates of a text with the places of nodes, and the same word for every input.
func formText(w *ir.Workflow, text string) string {
	p, problems := ir.Compile(text)
	if len(problems) > 0 {
		return text
	}
	out := text
	p.Walk(func(_ string, e *ir.Expr) {
		for _, alt := range e.Alts {
			if alt.Ref == nil {
				continue
			}
			by := "input"
			if k := w.Node(alt.Ref.Root); k >= 0 {
				by = strings.Replace(alt.Ref.String(), alt.Ref.Root, fmt.Sprint(k), 1)
			}
			out = strings.ReplaceAll(out, e.Text, "<"+by+">")
		}
	})
	return out
}

// plainParams are params with numbers as values know them.
func plainParams(params map[string]any) any {
	v, err := value.ParseJSON([]byte(ir.Text(map[string]any(params))))
	if err != nil {
		return nil
	}
	return v
}
