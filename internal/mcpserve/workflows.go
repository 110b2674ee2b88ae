package mcpserve

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pflow/internal/value"
	"pflow/ir"
)

// maxToolName keeps names within the 64 characters that model providers take, with what clients put before them.
const maxToolName = 48

// toolName is the name of a workflow's tool: the workflow's own, or, where that is too long, its beginning and a hash of it. No
// fixed tool has such a name, since theirs have underscores.
func toolName(workflow string) string {
	if len(workflow) <= maxToolName {
		return workflow
	}
	sum := sha256.Sum256([]byte(workflow))
	return strings.TrimRight(workflow[:maxToolName-9], "-") + "-" + hex.EncodeToString(sum[:4])
}

// Arguments of a workflow's tool that are no inputs, unless it has inputs of these names.
const (
	argApprove = "approve"
	argStdin   = "stdin"
)

// definition is a saved workflow as a tool.
func (w *Workflow) definition() *mcp.Tool {
	has := func(e ir.Effect) bool { return slices.Contains(w.Effects, e) }
	destroys := w.Destroys || has(ir.Destructive)
	network := has(ir.Network)
	reads := !destroys && !has(ir.Writes) && (!network || has(ir.Idempotent))
	description := w.Description
	if description == "" {
		description = "The saved workflow " + w.Name + "."
	}
	return &mcp.Tool{
		Name: toolName(w.Name), Title: w.Name, Description: description, InputSchema: w.inputSchema(reads), OutputSchema: w.outputSchema(),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: reads, DestructiveHint: &destroys, IdempotentHint: has(ir.Idempotent), OpenWorldHint: &network},
	}
}

// given tells the inputs that a call gives: a secret is read from the environment, and only there.
func (w *Workflow) given() []ir.Input {
	return slices.DeleteFunc(slices.Clone(w.Inputs), func(in ir.Input) bool { return in.Secret })
}

func (w *Workflow) has(input string) bool {
	return slices.ContainsFunc(w.Inputs, func(in ir.Input) bool { return in.Name == input })
}

// inputSchema is what a call of the tool takes. Required is what nothing else can give: no default and no environment variable.
func (w *Workflow) inputSchema(reads bool) object {
	properties, required := object{}, []any{}
	for _, in := range w.given() {
		properties[in.Name] = inputSchema(in)
		if in.Required && !in.HasDefault && in.FromEnv == "" {
			required = append(required, in.Name)
		}
	}
	if w.Piped && !w.has(argStdin) {
		properties[argStdin] = object{"type": "string", "description": "text to pipe into it"}
	}
	if !reads && !w.has(argApprove) {
		properties[argApprove] = object{"type": "string", "description": "the digest of an earlier refusal, after the user agreed to what it listed"}
	}
	out := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

func inputSchema(in ir.Input) object {
	s := object{}
	if in.Type != value.Any {
		s["type"] = string(in.Type)
	}
	if in.Description != "" {
		s["description"] = in.Description
	}
	if in.HasDefault {
		if v, err := ir.Coerce(in.Type, in.Default); err == nil {
			s["default"] = v
		}
	}
	return s
}

// outputSchema is what a call gives; nil where the workflow declares no outputs. An output whose source did not run is null.
func (w *Workflow) outputSchema() any {
	if len(w.Outputs) == 0 {
		return nil
	}
	properties, required := object{}, []any{}
	for _, out := range w.Outputs {
		s := object{}
		if out.Type != value.Any && out.Type != "" {
			s["type"] = []any{string(out.Type), "null"}
		}
		if out.Description != "" {
			s["description"] = out.Description
		}
		properties[out.Name] = s
		required = append(required, out.Name)
	}
	return object{"type": "object", "properties": properties, "required": required}
}

// request is a call of the tool as a run of the workflow.
func (w *Workflow) request(a arguments) RunRequest {
	r := RunRequest{Subject: Subject{Name: w.Name}, Inputs: a, Bare: true}
	if text := a.optional(argStdin); text != nil && w.Piped && !w.has(argStdin) {
		r.Stdin = text
		delete(a, argStdin)
	}
	if text := a.optional(argApprove); text != nil && !w.has(argApprove) {
		r.Approve = *text
		delete(a, argApprove)
	}
	return r
}
