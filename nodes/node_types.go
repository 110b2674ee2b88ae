package nodes

import "pflow/internal/nodetype"

// Types lists the node types.
func Types(d Deps) []nodetype.Type {
	return []nodetype.Type{
		readFile(),
		writeFile(),
		copyFile(),
		moveFile(),
		deleteFile(),
		listFiles(),
		shell(d),
		httpType(d),
		llmType(d),
		transform(),
		switchType(),
		templateType(),
		workflowType(d),
	}
}
