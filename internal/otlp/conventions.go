package otlp

import (
	"strings"

	"pflow/internal/fault"
)

// The semantic conventions that the names follow. Those for generative AI left that repository after this version, and call a
// workflow's name gen_ai.agent.name since: spans have both.
const schemaURL = "https://opentelemetry.io/schemas/1.41.0"

// Operations, which names of spans begin with.
const (
	invokeWorkflow = "invoke_workflow"
	executeTool    = "execute_tool"
	chat           = "chat"
)

// Attributes of the conventions; pflow's own begin with pflow.
const (
	operationName = "gen_ai.operation.name"
	workflowName  = "gen_ai.workflow.name"
	agentName     = "gen_ai.agent.name"
	toolName      = "gen_ai.tool.name"
	toolType      = "gen_ai.tool.type"
	providerName  = "gen_ai.provider.name"
	requestModel  = "gen_ai.request.model"
	errorType     = "error.type"
)

// providers are those that the conventions call otherwise than models.yaml does.
var providers = map[string]string{"gemini": "gcp.gemini", "mistral": "mistral_ai", "xai": "x_ai", "bedrock": "aws.bedrock", "azure": "azure.ai.openai"}

// typeOfTool tells what is called outside from what pflow does itself.
func typeOfTool(component string) string {
	if strings.HasPrefix(component, "mcp.") {
		return "extension"
	}
	return "function"
}

// told is the message of an error. Those that quote what a model replied, or what else was read, say nothing but their kind.
func told(kind fault.Kind, message string) string {
	if kind == fault.Malformed || kind == fault.Schema {
		return ""
	}
	return message
}

// exception is the event of an error.
func exception(kind fault.Kind, message string) []attribute {
	out := []attribute{{"exception.type", string(kind)}}
	if message = told(kind, message); message != "" {
		out = append(out, attribute{"exception.message", message})
	}
	return out
}
