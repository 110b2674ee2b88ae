package llm

// The steps of the ladder: the ways to ask for a structured reply, from the one that binds the model most to the one that
// every endpoint can do.
const (
	StrictJSONSchema = "strict_json_schema" // response_format json_schema with strict: the reply cannot misfit
	JSONSchema       = "json_schema"        // response_format json_schema
	ToolCallStep     = "tool_call"          // a function whose parameters are the schema, demanded by tool_choice
	JSONObject       = "json_object"        // response_format json_object; the schema stands in the prompt
	Prompt           = "prompt"             // the schema stands in the prompt
)

// ladder is every step, top first.
var ladder = []string{StrictJSONSchema, JSONSchema, ToolCallStep, JSONObject, Prompt}
