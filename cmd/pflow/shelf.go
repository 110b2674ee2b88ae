package main

import (
	"context"
	"slices"

	"pflow/internal/diag"
	"pflow/internal/host"
	"pflow/internal/library"
	"pflow/internal/settings"
	"pflow/internal/shelf"
	"pflow/ir"
	"pflow/nodes"
)

// host is what this process offers the runs that it carries out.
func (a *app) host() *host.Host {
	return &host.Host{
		Home: a.home, Getenv: a.getenv, Version: buildVersion(), Log: a.log, ReadLine: a.readLine, Dir: workingDir,
		Settings: a.settings, Secrets: a.secrets, Shelf: a.shelfOf, Library: a.library, Types: a.nodeTypes, Model: a.callModel, Priced: a.priced,
	}
}

// deps is what ops and node types reach the outside through.
func (a *app) deps() nodes.Deps { return a.host().Deps() }

// shelfOf gives the shelf of a run: the one that its context was given, else that of the home.
func (a *app) shelfOf(ctx context.Context) (*shelf.Shelf, error) {
	if s := shelf.Of(ctx); s != nil {
		return s, nil
	}
	a.shelfOnce.Do(func() { a.shelf, a.shelfErr = a.loadShelf() })
	return a.shelf, a.shelfErr
}

// loadShelf gathers what the settings allow, with a warning of what had to be left out.
func (a *app) loadShelf() (*shelf.Shelf, error) {
	by, err := a.settings()
	if err != nil {
		return nil, err
	}
	s, found, err := shelf.Load(a.sources(), by)
	if err != nil {
		return nil, usage("%v", err)
	}
	a.showFindings(found)
	if s == nil {
		return nil, usage("the nodes cannot be read")
	}
	return s, nil
}

// sources say where this command line's shelf comes from.
func (a *app) sources() shelf.Sources {
	from := a.host().Sources()
	from.NoBuiltin, from.Files, from.FilesBy = a.noBuiltin, a.nodeFiles, "--nodes"
	return from
}

// builtin are the interfaces of the node types of the program.
func (a *app) builtin() []*ir.Interface { return host.Interfaces(a.deps()) }

// settings are those of the home, read once. With an error the defaults hold, and whoever relies on one of the settings must
// not go on.
func (a *app) settings() (*settings.Settings, error) {
	a.settingsOnce.Do(func() {
		a.settingsGot, a.settingsErr = settings.Read(a.home())
		if a.settingsErr != nil {
			a.settingsErr = documentError(a.settingsErr)
		}
	})
	return a.settingsGot, a.settingsErr
}

// showFindings shows what was left out, on standard error.
func (a *app) showFindings(found diag.List) {
	if len(found) > 0 {
		_, _ = a.stderr.Write([]byte(found.Sort().Text()))
	}
}

// library is the folder of saved workflows. The names of commands, also of those to come, are no names for workflows.
func (a *app) library() *library.Library { return shelf.Workflows(a.home(), a.commandNames()...) }

func (a *app) commandNames() []string {
	out := slices.Clone(reservedCommands)
	for _, c := range a.root.Commands() {
		out = append(out, c.Name())
	}
	return out
}
