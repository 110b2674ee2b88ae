package main

import (
	"os"

	"pflow/internal/settings"
)

// homeFile is a file or folder of the home.
type homeFile struct {
	Path  string `json:"path"` // in the home
	Holds string `json:"holds"`
	There bool   `json:"there"`
}

// homeFiles are what people look for in a home.
func (a *app) homeFiles() []homeFile {
	list := []homeFile{
		{Path: settings.File, Holds: "the settings"},
		{Path: "models.yaml", Holds: "providers and models, merged over the shipped ones"},
		{Path: "mcp.json", Holds: "MCP servers"},
		{Path: "flows", Holds: "flows of yours"},
		{Path: "prompts", Holds: "prompts of yours"},
		{Path: "nodes", Holds: "declared nodes"},
		{Path: "workflows", Holds: "saved workflows"},
		{Path: "schedules", Holds: "schedules"},
		{Path: "runs", Holds: "journals of runs"},
		{Path: "drafts", Holds: "what was edited and is not saved"},
		{Path: "cases", Holds: "cases of experiments"},
		{Path: "experiments", Holds: "every plan of experiments"},
		{Path: "tune", Holds: "every plan of pflow tune"},
	}
	for i := range list {
		if path := a.home().Path(list[i].Path); path != "" {
			_, err := os.Stat(path)
			list[i].There = err == nil
		}
	}
	return list
}

// settingsText is settings.yaml as it stands. What has faults is not shown: a secret could stand where none belongs.
func (a *app) settingsText() string {
	if _, err := a.settings(); err != nil {
		return ""
	}
	data, err := os.ReadFile(a.home().Path(settings.File))
	if err != nil {
		return ""
	}
	return a.reportMasks().Text(string(data))
}
