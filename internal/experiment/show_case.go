package experiment

import (
	"database/sql"
	"encoding/json"
	"errors"
	"slices"

	"pflow/internal/diag"
	"pflow/internal/fault"
)

// ShownCase is a case with all that is kept of it.
type ShownCase struct {
	ID      string          `json:"id"`
	Group   string          `json:"group,omitempty"`
	Request string          `json:"request"`
	Rest    json.RawMessage `json:"case"`  // what the case says beside these: expect, and what it may use
	Cells   []ShownCell     `json:"cells"` // of the variants, in their order
}

// ShownCell is a case under a variant.
type ShownCell struct {
	Variant string     `json:"variant"`
	Passes  int        `json:"passes"`
	Runs    []ShownRun `json:"runs"` // empty: not made yet
}

// ShownRun is one plan.
type ShownRun struct {
	Repeat  int                `json:"repeat"` // from 0
	Pass    bool               `json:"pass"`
	Outcome string             `json:"outcome"`
	InWords string             `json:"in_words"`
	Failed  []string           `json:"failed"` // what was not as expected
	Took    map[string]float64 `json:"took"`   // by metric
	Route   []Step             `json:"route"`
	Plan    json.RawMessage    `json:"plan"` // pflow.plan/v1
}

// ShowCase reads a case under all variants, or under one.
func ShowCase(s *Store, id, variant string) (*ShownCase, error) {
	_, variants, err := s.Spec()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, v := range variants {
		names = append(names, v.Name)
	}
	if variant != "" && !slices.Contains(names, variant) {
		return nil, fault.New(fault.NotFound, "%s has no variant %q; it has: %s", s.id(), variant, diag.Names(names, 12))
	}
	out := &ShownCase{ID: id}
	var ord int
	err = s.db.QueryRow("SELECT ord, grp, request FROM cases WHERE id = ?", id).Scan(&ord, &out.Group, &out.Request)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, s.noCase(id)
	}
	if err != nil {
		return nil, err
	}
	rest, err := s.said(ord)
	if err != nil {
		return nil, err
	}
	out.Rest = json.RawMessage(rest)
	for i, name := range names {
		if variant != "" && name != variant {
			continue
		}
		c := ShownCell{Variant: name, Runs: []ShownRun{}}
		err := s.eachPlan(ord, i, func(p *storedPlan) {
			r := ShownRun{Repeat: p.Repeat, Pass: p.pass, Outcome: p.outcome, InWords: p.inWords, Failed: p.failed, Took: p.took, Route: p.steps, Plan: json.RawMessage(p.plan)}
			if r.Failed == nil {
				r.Failed = []string{}
			}
			if r.Route == nil {
				r.Route = []Step{}
			}
			if r.Pass {
				c.Passes++
			}
			c.Runs = append(c.Runs, r)
		})
		if err != nil {
			return nil, err
		}
		out.Cells = append(out.Cells, c)
	}
	return out, nil
}

// noCase is the error of an id that no case has.
func (s *Store) noCase(id string) error {
	ids, err := s.CaseIDs("")
	if err != nil {
		return err
	}
	hint := "it has: " + diag.Names(ids, 12)
	if near := diag.Nearest(id, ids); near != "" {
		hint = "did you mean \"" + near + "\"?"
	}
	return fault.New(fault.NotFound, "%s has no case %q; %s", s.id(), id, hint)
}

// CaseIDs are the ids of the cases that begin so, in the order of the cases.
func (s *Store) CaseIDs(begun string) ([]string, error) {
	rows, err := s.db.Query("SELECT id FROM cases WHERE substr(id, 1, length(?1)) = ?1 ORDER BY ord", begun)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, rows.Err()
}
