package experiment

import "pflow/internal/stats"

// Metric names one number of a row. A row may be without a value of one: then its case counts for nothing in it.
type Metric string

// The metrics. A row is one plan of one case.
const (
	// Pass is 1 where everything that is expected holds, else 0.
	Pass Metric = "pass"
	// FirstTry is 1 where a plan that was generated is usable (ready or needs_input) after one attempt, else 0; no value
	// where nothing was generated.
	FirstTry Metric = "first_try"
	// NodeF1 is 2·hits/(planned+expected) over the multisets of node types; no value where no nodes are expected.
	NodeF1 Metric = "node_f1"
	// EdgeF1 is the same over the set of (type, type) pairs; no value where no edges are expected.
	EdgeF1 Metric = "edge_f1"
	// ParamF1 is the same over (type, key, value); no value where neither params nor calls are expected.
	ParamF1 Metric = "param_f1"
	// Calls is how many calls of models were answered.
	Calls Metric = "calls"
	// Tokens is how many tokens these took, prompts and replies together.
	Tokens Metric = "tokens"
	// CostUSD is what they cost, in US dollars; no value where the price of any is not known.
	CostUSD Metric = "cost_usd"
	// Latency is the time from request to plan, in milliseconds.
	Latency Metric = "latency_ms"
	// NetLatency is Latency without the time spent waiting for rate limits.
	NetLatency Metric = "latency_net_ms"
)

// Metrics lists all of them in the order of reports.
var Metrics = []Metric{Pass, FirstTry, NodeF1, EdgeF1, ParamF1, Calls, Tokens, CostUSD, Latency, NetLatency}

// Rate reports whether values lie in 0..1.
func (m Metric) Rate() bool {
	switch m {
	case Pass, FirstTry, NodeF1, EdgeF1, ParamF1:
		return true
	}
	return false
}

// More reports whether more is better.
func (m Metric) More() bool { return m.Rate() }

// worsens is what it does when it gets worse.
func (m Metric) worsens() string {
	if m.More() {
		return "fall"
	}
	return "grow"
}

// unit is how its values are written.
func (m Metric) unit() stats.Unit {
	switch {
	case m.Rate():
		return stats.Points
	case m == CostUSD:
		return stats.Dollars
	case m.Timed():
		return stats.Milliseconds
	}
	return ""
}

// Timed reports whether values are times that this process measured.
func (m Metric) Timed() bool { return m == Latency || m == NetLatency }

func metricNames() []string {
	out := make([]string, len(Metrics))
	for i, m := range Metrics {
		out[i] = string(m)
	}
	return out
}
