package main

import (
	"pflow/engine"
	"pflow/internal/filewatch"
)

// noteRead keeps that a file is read, for whoever watches it.
func (a *app) noteRead(file string) {
	if a.reads != nil {
		a.reads.Note(file)
	}
}

// notedFolders are the folders of the program, and note where documents are looked for: one that is not there may come.
func (a *app) notedFolders() engine.Resources {
	if a.reads == nil {
		return a.folders()
	}
	return notingFolders{a.folders(), a.reads}
}

type notingFolders struct {
	engine.Folders
	files *filewatch.Files
}

func (n notingFolders) Find(kind engine.DocumentKind, name string, from []string) (engine.Document, error) {
	for _, file := range n.Places(kind, name, from) {
		n.files.Note(file)
	}
	return n.Folders.Find(kind, name, from)
}
