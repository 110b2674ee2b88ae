package planner

import (
	"slices"

	"pflow/ir"
)

// Secrets says of a plan that could be run which secrets are missing: those that has, told the name of a variable, does not know. They are
// missing inputs with the key from_env, and no flow and no model is told of them. What was said before is said anew, so a
// plan that was made elsewhere may be asked again.
func (r *Result) Secrets(has func(name string) bool) {
	if r.WorkflowIR == nil || r.Status != Ready && r.Status != NeedsInput {
		return
	}
	w, found := ir.DecodeValue(r.WorkflowIR)
	if found.HasErrors() {
		return
	}
	missing := slices.DeleteFunc(slices.Clone(r.MissingParams), func(m any) bool {
		in, _ := m.(map[string]any)
		name, _ := in["name"].(string)
		declared, ok := w.Input(name)
		return ok && declared.Secret
	})
	closed := len(missing) < len(r.MissingParams) // only by secrets, if nothing else is missing
	for _, in := range w.Inputs {
		if in.Secret && in.Required && !has(in.FromEnv) {
			missing = append(missing, map[string]any{"name": in.Name, "type": string(in.Type), "description": in.Description, "from_env": in.FromEnv})
		}
	}
	switch {
	case len(missing) > 0:
		r.Status = NeedsInput
	case closed:
		r.Status = Ready
	}
	r.MissingParams = missing
}

// Lacks lists the inputs that are missing, as a result has them, and tells secrets, which no request says.
func (r *Result) Lacks() (said, secrets []map[string]any) {
	for _, m := range r.MissingParams {
		in, _ := m.(map[string]any)
		if in["from_env"] != nil {
			secrets = append(secrets, in)
		} else {
			said = append(said, in)
		}
	}
	return said, secrets
}
