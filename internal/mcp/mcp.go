// Package mcp is the client of MCP servers: programs and addresses that offer tools by the Model Context Protocol.
//
//	Servers     mcp.json of the home: which servers there are, in the shape that other clients use
//	Foreign     the servers in the file of another client, with what is changed of them
//
// Values of environment variables and headers are never written: the file names variables, as in ${GITHUB_TOKEN}, and they
// are read where a server is started.
package mcp
