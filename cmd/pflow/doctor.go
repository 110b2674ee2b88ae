package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/llm"
	"pflow/internal/printable"
	"pflow/internal/settings"
	"pflow/internal/shelf"
	"pflow/nodes"
)

// doctorSchema names the shape of `pflow doctor --json`.
const doctorSchema = "pflow.doctor/v1"

// effective is a value that holds, and what says so.
type effective struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Source string `json:"source"`
	do     string // what to do at a terminal, as it follows the source there
}

func inEffect(name, value, source string) effective {
	return effective{Name: name, Value: value, Source: source}
}

// checkup is one thing that was looked at. Status is ok, warning or error.
type checkup struct {
	Name    string `json:"name"`
	Status  string `json:"status"`
	Message string `json:"message"`
	Do      string `json:"do,omitempty"` // what to do at a terminal

	lines []string // the message for a terminal, with what to do at each of its lines
}

func looked(name, status, message string) checkup {
	return checkup{Name: name, Status: status, Message: message}
}

// terminal is the message with what to do, for a terminal.
func (c *checkup) terminal() string {
	if c.Do == "" {
		return c.Message
	}
	return strings.Join(c.lines, "\n")
}

// say adds a line. do is what to do about it at a terminal, as it follows the line there.
func (c *checkup) say(do, format string, args ...any) {
	line, next := fmt.Sprintf(format, args...), func(text string) string {
		if text != "" {
			text += "\n"
		}
		return text
	}
	c.Message, c.lines = next(c.Message)+line, append(c.lines, line+do)
	if do != "" {
		c.Do = next(c.Do) + strings.TrimLeft(do, "; ")
	}
}

func (a *app) doctorCommand() *cobra.Command {
	var readSecrets bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Show the settings that hold, where each comes from, and what is wrong",
		Long: `Show the settings that hold and where each comes from, and look at all that pflow reads: the home, the settings, the
flows, the declared nodes, the saved workflows, the runs that can be resumed and the schedules. Nothing is changed. Secrets that the
settings map to commands or the keyring are listed; with --secrets each is read, to see whether that works, and not shown.
The exit status is 1 if something is wrong.`,
		Example: "  pflow doctor\n  pflow doctor --json",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			var more []checkup
			if readSecrets {
				more = a.checkSecrets(c.Context())
			}
			return a.doctor(more)
		},
	}
	c.Flags().BoolVar(&readSecrets, "secrets", false, "read the secrets that the settings map, to see whether that works")
	a.nodeFlags(c)
	a.modelFlag(c)
	return c
}

func (a *app) doctor(more []checkup) error {
	values, checks := a.effectiveValues(), append(a.checkups(), more...)
	wrong := 0
	for _, c := range checks {
		if c.Status == "error" {
			wrong++
		}
	}
	if a.asJSON {
		if err := a.printJSON(map[string]any{"schema": doctorSchema, "version": buildVersion(), "settings": values, "checks": checks,
			"home": a.homeDir(), "files": a.homeFiles(), "settings_text": a.settingsText()}); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(a.stdout, "pflow %s (%s, %s/%s)\n\n", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
		for _, v := range values {
			fmt.Fprintf(w, "%s\t%s\t(%s)\n", v.Name, printable.Line(v.Value), printable.Line(v.Source+v.do))
		}
		fmt.Fprintln(w)
		for _, c := range checks {
			fmt.Fprintf(w, "%s\t%s\t%s\n", c.Status, c.Name, strings.ReplaceAll(c.terminal(), "\n", "\n\t\t"))
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	if wrong > 0 {
		return fail(exitFailed, "%s wrong", count(wrong, "thing"))
	}
	return nil
}

// effectiveValues are the settings, as they hold for this command line.
func (a *app) effectiveValues() []effective {
	s, err := a.settings()
	from := func(key, orElse string) string {
		switch place, set := s.Places[key]; {
		case set:
			return place.String()
		case err != nil:
			return orElse + "; settings.yaml cannot be read"
		}
		return orElse
	}
	home := inEffect("home", orElse(a.homeDir(), "none"), a.home().Source())
	flow, source := a.effectivePlanner()
	patterns := func(list []settings.Rule, none string) string {
		if list == nil {
			return none
		}
		var words []string
		for _, p := range list {
			words = append(words, p.String())
		}
		return strings.Join(words, " ")
	}
	name, named := a.editor()
	editor := inEffect("editor", orElse(name, "none"), named)
	out := []effective{
		home,
		inEffect("flow", orElse(flow, "none"), orElse(source, "settings.yaml cannot be read")),
		a.effectiveModel(),
		inEffect("allow", patterns(s.Allow, "every node type"), from("allow", "default")),
		inEffect("deny", patterns(s.Deny, "nothing"), from("deny", "default")),
		inEffect("retention", fmt.Sprintf("%d runs, %d days, %s", s.Retention.Runs, int(s.Retention.Age.Hours())/24, settings.Size(s.Retention.Bytes)), from("retention", "default")),
		editor,
	}
	for _, agent := range s.Agents {
		out = append(out, inEffect("agent "+agent.Name, a.agentState(agent), orElse(placed(agent.Place), "default")))
	}
	for _, m := range s.Secrets {
		state := "from " + m.Says()
		if a.getenv(m.Name) != "" {
			state = "from the environment, which goes before " + m.Says()
		}
		out = append(out, inEffect("secret "+m.Name, state, m.Place.String()))
	}
	return out
}

func placed(p diag.Place) string {
	if p.Line == 0 {
		return ""
	}
	return p.String()
}

// agentState is the command of an agent, and whether its program is there.
func (a *app) agentState(agent settings.Agent) string {
	var words []string
	for _, w := range agent.Command {
		words = append(words, shellQuote(w))
	}
	state := strings.Join(words, " ")
	if nodes.FindProgram(a.getenv, agent.Command[0]) == "" {
		state += ", which is not there"
	}
	return state
}

// checkSecrets reads each secret that the settings map.
func (a *app) checkSecrets(ctx context.Context) (out []checkup) {
	for _, m := range a.secrets().Mapped() {
		c := looked("secret "+m.Name, "ok", "can be read")
		if _, err := a.secrets().Read(ctx, m.Name); err != nil {
			c.Status, c.Message = "error", err.Error()
		}
		out = append(out, c)
	}
	return out
}

// effectiveModel is the model that is called where a flow names none.
func (a *app) effectiveModel() effective {
	c, err := a.theClient()
	if err != nil {
		return inEffect("model", "none", strings.TrimSpace(err.Error()))
	}
	name, ok := c.Default()
	s, _ := a.settings()
	switch {
	case s.Model == llm.NoModel && a.model == "":
		return inEffect("model", llm.NoModel, s.Places["model"].String())
	case !ok && len(c.Models().Programs(a.getenv)) > 0:
		return effective{Name: "model", Value: "none", Source: "no key is set; on the PATH is " + strings.Join(c.Models().Programs(a.getenv), ", "), do: ": name it with --model, or as model in settings.yaml"}
	case !ok:
		return effective{Name: "model", Value: "none", Source: "no key is set", do: "; pflow model list shows which there can be"}
	case a.model != "":
		return inEffect("model", name, "--model")
	case s.Model != "":
		return inEffect("model", name, s.Places["model"].String())
	}
	return inEffect("model", name, "environment")
}

// checkups look at all that is read from the home.
func (a *app) checkups() []checkup {
	out := []checkup{a.checkHome(), a.checkSettings(), a.checkPlanner()}
	res := a.folders()
	for _, name := range res.Names(engine.FlowDocument, nil) {
		out = append(out, a.checkFlow(res, name))
	}
	s, found, err := shelf.Gather(a.sources())
	if err != nil {
		return append(out, looked("nodes", "error", err.Error()))
	}
	by, _ := a.settings()
	for _, f := range s.Unknown(by, a.builtin()) {
		out = append(out, looked("settings", "error", fmt.Sprintf("%s: %s", f.Place, f.Message)))
	}
	out = append(out, policy(by, s)...)
	saved := len(s.Records)
	nodes := looked("nodes", "ok", count(len(s.Catalogue.NodeTypes()), "node type"))
	var wrong strings.Builder
	for _, f := range found.Sort() { // of declared nodes and saved workflows; each names its file
		nodes.Status = "warning"
		if f.Severity == diag.Error {
			nodes.Status = "error"
		}
		wrong.WriteString("\n" + strings.TrimSpace(diag.List{f}.Text()))
	}
	nodes.Message += wrong.String()
	return append(out, nodes, looked("workflows", "ok", count(saved, "saved workflow")), a.checkRuns(), a.checkSchedules(), a.checkTerminal())
}

func (a *app) checkHome() checkup {
	c := checkup{Name: "home", Status: "ok"}
	if err := a.home().Err(); err != nil {
		c.Status, c.Message = "error", "nothing is saved and no run can be resumed: "+err.Error()
		return c
	}
	_, err := os.Stat(a.homeDir())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.Message = "is made when something is saved or run"
		parent := existingParent(a.homeDir())
		if err := writable(parent); err != nil {
			c.Status, c.Message = "error", fmt.Sprintf("cannot be made: %s cannot be written: %v; set PFLOW_HOME to a folder that can be", parent, err)
		}
	case err != nil:
		c.Status, c.Message = "error", fileError(err)
	default:
		c.Message = "can be written"
		if err := writable(a.homeDir()); err != nil {
			c.Status, c.Message = "error", fmt.Sprintf("cannot be written: %v", err)
		}
	}
	return c
}

// existingParent is the nearest folder above a path that is there.
func existingParent(path string) string {
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && dir != path {
		return existingParent(dir)
	}
	return dir
}

// writable is why no file can be made in a folder. Only trying tells.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".pflow-doctor-*")
	if err != nil {
		return reason(err)
	}
	f.Close()
	return os.Remove(f.Name())
}

func (a *app) checkSettings() checkup {
	file := a.home().Path(settings.File)
	c := looked("settings", "ok", file)
	info, err := os.Stat(file)
	if err != nil {
		c.Message = "there is no settings.yaml: the defaults hold"
		return c
	}
	if info.Mode().Perm()&0o077 != 0 {
		c.Status, c.Message = "warning", "others can read or change it: chmod 600 "+shellQuote(file)
	}
	if _, err := a.settings(); err != nil {
		c.Status, c.Message = "error", strings.TrimSpace(err.Error())
	}
	return c
}

// checkPlanner makes sure that there is a flow that plans, or that each among which requests are split can.
func (a *app) checkPlanner() checkup {
	arms, from, _, err := a.splitOf()
	if err == nil && arms != nil {
		return a.checkSplit(arms, from)
	}
	flow, _, err := a.plannerFlow()
	if err != nil {
		return looked("planner", "error", strings.TrimSpace(err.Error()))
	}
	return looked("planner", "ok", flow.Name)
}

func (a *app) checkFlow(res engine.Folders, name string) checkup {
	c := looked("flow "+name, "ok", "has no faults")
	flow, err := a.known.look(res, name)
	if err != nil {
		return looked(c.Name, "error", fileError(err))
	}
	if flow.found.HasErrors() {
		c = checkup{Name: c.Name, Status: "error"}
		c.say("; pflow flow check "+name+" shows them", "%s", count(len(flow.found), "fault"))
		return c
	}
	return c
}

func (a *app) checkTerminal() checkup {
	if a.interactive() {
		return looked("terminal", "ok", "what is missing is asked for")
	}
	return looked("terminal", "ok", "there is none to ask on: plans are shown, --yes runs them")
}
