package experiment

import "encoding/json"

// Scored is what a variant came to so far, in one metric.
type Scored struct {
	Cases  int     // that have a value
	Sum    float64 // of the means of their repeats
	Plans  int     // rows
	Errors int     // those of them without an answer
	Error  string  // of one of those; "" if there is none
}

// Scores gives what each variant of an experiment came to, in their order, without working out a report.
func Scores(s *Store, m Metric) ([]Scored, error) {
	variants, err := s.variants()
	if err != nil {
		return nil, err
	}
	out := make([]Scored, len(variants))
	// The name of a metric is that of its column; Spec.Problem knows no others.
	rows, err := s.db.Query("SELECT variant, avg(" + string(m) + "), count(*), sum(error_kind <> ''), max(CASE WHEN error_kind <> '' THEN failed ELSE '' END) FROM rows GROUP BY variant, ord ORDER BY variant, ord")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var variant, plans, errors int
		var failed string
		var mean *float64
		if err := rows.Scan(&variant, &mean, &plans, &errors, &failed); err != nil {
			return nil, err
		}
		of := &out[variant]
		of.Plans += plans
		of.Errors += errors
		if errors > 0 && of.Error == "" {
			var list []string
			if err := json.Unmarshal([]byte(failed), &list); err != nil {
				return nil, err
			}
			of.Error = whyNoAnswer(list)
		}
		if mean != nil {
			of.Cases++
			of.Sum += *mean
		}
	}
	return out, rows.Err()
}

// Spent is what all rows of an experiment took.
func (s *Store) Spent() (Budget, error) {
	var b Budget
	err := s.db.QueryRow("SELECT coalesce(sum(cost_usd), 0), CAST(coalesce(sum(calls), 0) AS INTEGER), CAST(coalesce(sum(tokens), 0) AS INTEGER) FROM rows").Scan(&b.CostUSD, &b.Calls, &b.Tokens)
	return b, err
}
