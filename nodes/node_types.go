package nodes

import "pflow/internal/nodetype"

// Types lists the node types that are written in Go. Packs has those that are declared.
func Types(d Deps) []nodetype.Type {
	return withForms([]nodetype.Type{
		readFile(),
		writeFile(),
		copyFile(),
		moveFile(),
		deleteFile(),
		listFiles(),
		makeFolder(),
		copyFolder(),
		deleteFolder(),
		setMode(),
		hashFile(),
		shell(d),
		httpType(d),
		downloadType(d),
		htmlText(),
		llmType(d),
		transform(),
		switchType(),
		templateType(),
		workflowType(d),
	})
}
