// Package mcpserve offers what pflow does to other programs, over the Model Context Protocol: tools that find, plan, check, save
// and run workflows, and one tool for each saved workflow.
//
//	host.go      what the tools do: an interface, which the commands implement with the functions they use themselves
//	tools.go     the fixed tools: names, descriptions, params
//	workflows.go a saved workflow as a tool: its schemas and hints
//	params.go    reading the arguments of a call, with errors that say what to pass
//	client.go    who called: progress, questions, the end of a call
//	sampling.go  the model of who called
//	server.go    the server: which tools there are now
//	stdio.go     a transport over two streams that outlives whatever is written to it
//	http.go      streamable HTTP for this machine alone
//
// Versions of the protocol from 2024-11-05 to 2025-11-25 are spoken, in which a server may ask its client while a call goes on. A
// client that knows later ones falls back to these.
package mcpserve

// protocolVersions are those in which a server can ask its client.
var protocolVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// MaxMessage bounds a message to the server, in bytes.
const MaxMessage = 32 << 20
