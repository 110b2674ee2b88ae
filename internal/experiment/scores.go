package experiment

// Scored is what a variant came to so far, in one metric.
type Scored struct {
	Cases  int     // that have a value
	Sum    float64 // of the means of their repeats
	Errors int     // rows without an answer
}

// Scores gives what each variant of an experiment came to, in their order, without working out a report.
func Scores(s *Store, m Metric) ([]Scored, error) {
	variants, err := s.variants()
	if err != nil {
		return nil, err
	}
	out := make([]Scored, len(variants))
	// The name of a metric is that of its column; Spec.Problem knows no others.
	rows, err := s.db.Query("SELECT variant, avg(" + string(m) + "), sum(error_kind <> '') FROM rows GROUP BY variant, ord ORDER BY variant, ord")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var variant, errors int
		var mean *float64
		if err := rows.Scan(&variant, &mean, &errors); err != nil {
			return nil, err
		}
		of := &out[variant]
		of.Errors += errors
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
