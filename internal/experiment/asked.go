package experiment

// Asked is what an experiment was begun with, in the words of whoever began it, where beside the files that it names nothing else decides it: with
// other cases, or more repeats, it is the same question again.
type Asked struct {
	Flow       string   `json:"flow,omitempty"` // held against what it shadows or extends, or the file of an experiment
	A          string   `json:"a,omitempty"`
	B          []string `json:"b,omitempty"`
	Cases      string   `json:"cases,omitempty"`
	Repeats    int      `json:"repeats,omitempty"` // 0: not said
	Primary    string   `json:"primary,omitempty"`
	Effect     float64  `json:"effect,omitempty"`
	Model      string   `json:"model,omitempty"`
	AllowEqual bool     `json:"allow_equal,omitempty"`
}
