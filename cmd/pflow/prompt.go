package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/internal/llm"
	"pflow/internal/printable"
	"pflow/internal/prompt"
	"pflow/internal/runs"
)

func (a *app) promptCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "prompt",
		Short: "List and show prompts, and what was sent with them",
		Long: `A prompt is a text template that flows send to models: NAME.tmpl in the folder prompts of your home, or one that pflow
brings along. One in your home stands in the place of the shipped one.`,
		Example: "  pflow prompt list\n  pflow prompt show generate",
	}
	c.AddCommand(a.promptDeleteCommand(), a.promptListCommand(), a.promptRenderCommand(), a.promptSaveCommand(), a.promptShowCommand())
	return c
}

// promptItem is one prompt of `prompt list --json`.
type promptItem struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Variables   []string `json:"variables"`
	Schema      string   `json:"schema"`
	File        string   `json:"file"`
	Tokens      int      `json:"tokens"`  // of the template itself, estimated
	Own         bool     `json:"own"`     // it lies in the home
	Shipped     bool     `json:"shipped"` // pflow brings one of this name along
	Same        bool     `json:"same"`    // and it is this text
	UsedBy      []string `json:"used_by"` // flows
	Problem     string   `json:"problem,omitempty"`
}

func (a *app) promptListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the prompts of your home and of pflow itself",
		Example: "  pflow prompt list\n  pflow prompt list --json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			res := a.folders()
			items := []promptItem{}
			used := a.usedBy(res)
			for _, name := range res.Names(engine.PromptDocument, nil) {
				item := a.readPromptItem(res, name)
				item.UsedBy = append(item.UsedBy, used[item.File]...)
				items = append(items, item)
			}
			if a.asJSON {
				return a.printJSON(map[string]any{"schema": "pflow.prompts/v1", "prompts": items})
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			for _, p := range items {
				where := "yours"
				if engine.IsShipped(p.File) {
					where = "shipped"
				}
				if p.Problem != "" {
					p.Description = "(cannot be read: " + p.Problem + ")"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", printable.Line(p.Name), where, printable.Line(p.Description))
			}
			return w.Flush()
		},
	}
}

func (a *app) readPromptItem(res engine.Folders, name string) promptItem {
	item := promptItem{Name: name, Variables: []string{}, UsedBy: []string{}}
	doc, err := res.Find(engine.PromptDocument, name, nil)
	if err != nil {
		item.Problem = fileError(err)
		return item
	}
	item.File, item.Tokens, item.Own = doc.Path, llm.Tokens(utf8.RuneCount(doc.Data)), !engine.IsShipped(doc.Path)
	if shipped, found, err := a.shippedText(doc); err == nil && found {
		item.Shipped, item.Same = true, string(shipped) == string(doc.Data)
	}
	p, found := prompt.Parse(doc.Path, doc.Data, a.partOf(res))
	if p == nil {
		item.Problem = found[0].Message
		return item
	}
	item.Description, item.Schema = p.Description, p.Schema
	item.Variables = append(item.Variables, p.Variables...)
	return item
}

func (a *app) promptShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "show NAME",
		Short:             "Print a prompt, or with NAME.schema.json the schema of its reply",
		Example:           "  pflow prompt show generate\n  pflow prompt show workflow.schema.json\n  pflow prompt show shipped:generate --json",
		Args:              one("the prompt to show"),
		ValidArgsFunction: a.completePrompts,
		RunE: func(_ *cobra.Command, args []string) error {
			kind, name := engine.PromptDocument, strings.TrimSuffix(args[0], ".tmpl")
			if bare, ok := strings.CutSuffix(name, ".schema.json"); ok {
				kind, name = engine.SchemaDocument, bare
			}
			doc, err := a.findText(kind, name)
			if err != nil {
				return err
			}
			return a.printText(doc)
		},
	}
}

func (a *app) completePrompts(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return a.folders().Names(engine.PromptDocument, nil), cobra.ShellCompDirectiveNoFileComp
}

func (a *app) promptRenderCommand() *cobra.Command {
	var run, step string
	c := &cobra.Command{
		Use:   "render [NAME] --run RUN",
		Short: "Show exactly what a run sent with a prompt",
		Long: `Show exactly what a run sent to a model with a prompt, or, without NAME, with any and with none: message by message, what came back,
and how many tokens it was. The run is one of a flow, of a workflow, or the making of a plan; its id is the run_id of the JSON result.`,
		Example:           "  pflow prompt render parameters --run 20240115-120000-1a2b3c4d\n  pflow prompt render --run last",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completePrompts,
		RunE: func(_ *cobra.Command, args []string) error {
			if run == "" {
				return usage("name the run: --run RUN; %s", a.recentRuns())
			}
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			return a.renderPrompt(name, run, step)
		},
	}
	c.Flags().StringVar(&run, "run", "", "the `RUN` that sent it")
	c.Flags().StringVar(&step, "step", "", "only what this `STEP` sent, and what is inside it")
	a.completes(c, "run", a.completeRuns())
	return c
}

// recentRuns says which runs there are to choose from.
func (a *app) recentRuns() string {
	runs := a.runIDs("")
	if len(runs) == 0 {
		return "there are none yet"
	}
	return "the latest are " + strings.Join(runs[:min(len(runs), 3)], ", ")
}

// renderPrompt shows what a run sent: with one prompt, or from one step, if they are named.
func (a *app) renderPrompt(name, run, step string) error {
	row, err := a.findRun(run)
	if err != nil {
		return err
	}
	run = row.ID
	all, err := a.exchangesKept(run)
	if err != nil {
		return err
	}
	sent := []keptExchange{}
	var names []string
	for _, x := range all {
		if (name == "" || x.Prompt == name) && (step == "" || runs.Within(x.Step, step)) {
			sent = append(sent, x)
		}
		names = append(names, x.Prompt)
	}
	if len(sent) == 0 && step != "" {
		shown, err := a.showRun(row)
		if err != nil {
			return err
		}
		if _, err := shown.step(step); err != nil {
			return err
		}
	}
	if len(sent) == 0 && name != "" {
		if _, err := a.findText(engine.PromptDocument, name); err != nil {
			return err
		}
		return fail(exitFailed, "the run %s sent nothing with the prompt %q%s", run, name, sentWith(names))
	}
	if a.asJSON {
		return a.printJSON(map[string]any{"schema": "pflow.exchanges/v1", "run_id": run, "exchanges": sent})
	}
	switch {
	case len(sent) == 0 && step != "":
		fmt.Fprintf(a.stdout, "the step %s of run %s sent nothing%s\n", printable.Line(step), run, sentWith(names))
	case len(sent) == 0:
		fmt.Fprintf(a.stdout, "the run %s called no model\n", run)
	}
	for i, x := range sent {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		a.printExchange(x)
	}
	return nil
}

func sentWith(names []string) string {
	seen := map[string]bool{}
	var each []string
	for _, n := range names {
		if n != "" && !seen[n] {
			seen[n] = true
			each = append(each, n)
		}
	}
	if len(each) == 0 {
		return "; it called no model"
	}
	return "; it sent " + strings.Join(each, ", ")
}

func (a *app) printExchange(x keptExchange) {
	tokens := fmt.Sprintf("%d tokens, %d of them cached", x.Usage.PromptTokens, x.Usage.CachedTokens)
	if x.Usage.PromptTokens == 0 {
		total := 0
		for _, m := range x.Messages {
			total += llm.Tokens(utf8.RuneCountInString(m.Content))
		}
		tokens = fmt.Sprintf("about %d tokens", total)
	}
	fmt.Fprintf(a.stdout, "--- to %s: %s", x.Model, tokens)
	if x.Step != "" {
		fmt.Fprintf(a.stdout, ", by %s", printable.Line(x.Step))
	}
	if x.LadderStep != "" {
		fmt.Fprintf(a.stdout, ", reply by %s", x.LadderStep)
	}
	if x.Replayed {
		fmt.Fprint(a.stdout, ", replayed")
	}
	fmt.Fprintln(a.stdout)
	for _, m := range x.Messages {
		fmt.Fprintf(a.stdout, "--- %s\n%s\n", m.Role, strings.TrimRight(m.Content, "\n"))
	}
	switch {
	case x.Error != "":
		fmt.Fprintf(a.stdout, "--- error\n%s\n", x.Error)
	default:
		fmt.Fprintf(a.stdout, "--- reply: %d tokens\n%s\n", x.Usage.CompletionTokens, strings.TrimRight(x.Reply, "\n"))
	}
}

// exchangesKept reads what the run of an id said to models; nil if it said nothing.
func (a *app) exchangesKept(id string) ([]keptExchange, error) {
	return readExchanges(a.home().Path("runs", id, exchangesFile))
}

// readExchanges reads what a run said to models from its file. A torn last line is dropped.
func readExchanges(file string) ([]keptExchange, error) {
	f, err := os.Open(file)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fail(exitFailed, "%s", fileError(err))
	}
	defer f.Close()
	out := []keptExchange{}
	r := bufio.NewReader(f)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return out, nil
		}
		var x keptExchange
		if err := json.Unmarshal(line, &x); err != nil {
			return nil, fail(exitFailed, "%s: %v", f.Name(), err)
		}
		out = append(out, x)
	}
}
