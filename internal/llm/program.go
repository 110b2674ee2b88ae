package llm

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"pflow/engine/cond"
	"pflow/internal/fault"
	"pflow/internal/mask"
	"pflow/internal/process"
	"pflow/internal/prompt"
	"pflow/internal/value"
)

// Program is a provider that is a program of the user's own, such as one that comes with a subscription. It is given the
// conversation on its standard input and prints the reply. It runs in an empty folder, so that it takes nothing of the
// working directory for part of the question.
type Program struct {
	Command []*prompt.Prompt // its words; each is a template of model, left out where it is empty
	Env     []string         // variables that it is given although they hold keys
	Format  string           // what it prints: text, json, or lines of JSON
	Reply   map[string]*cond.Program
}

// What a program prints.
const (
	printsText  = "text"
	printsJSON  = "json"
	printsLines = "lines"
)

// Bounds of a program's run. A provider's own timeout replaces the first.
const (
	programTimeout = 5 * time.Minute
	programOutput  = maxBody
)

// asProgram completes conversations by a program.
type asProgram struct {
	o        Options
	provider *Provider
	program  *Program
	redact   func(string) string
}

// Name is the program as it is looked for on the PATH.
func (p *Program) Name() string {
	s, _ := p.Command[0].Render(context.Background(), map[string]any{"model": ""})
	return s
}

// Complete implements Completer.
func (p *asProgram) Complete(ctx context.Context, c Conversation) (*Completion, error) {
	name := p.program.Name()
	path := p.o.Models.look(p.o.Getenv, name)
	if path == "" {
		return nil, fault.New(fault.NotFound, "the provider %s is the program %s, which is not on the PATH: install it, or name another model", p.provider.Name, name)
	}
	env, err := p.environ(ctx)
	if err != nil {
		return nil, err
	}
	run := &process.Program{Argv: []string{path}, Env: env, HasStdin: true}
	for _, word := range p.program.Command[1:] {
		text, err := word.Render(ctx, map[string]any{"model": c.Model})
		if err != nil {
			return nil, err
		}
		if text != "" { // an argument that only some models want
			run.Argv = append(run.Argv, text)
		}
	}
	if run.Stdin, err = p.o.Models.Texts.Conversation.Render(ctx, map[string]any{"messages": spoken(c.Messages)}); err != nil {
		return nil, err
	}
	if run.Dir, err = os.MkdirTemp("", "pflow-model-"); err != nil {
		return nil, fault.New(fault.Permission, "no empty folder can be made for %s: %v", name, err)
	}
	defer os.RemoveAll(run.Dir)
	run.Stdout.Limit, run.Stderr.Limit = programOutput, 1<<16
	run.Stdout.Mask, run.Stderr.Mask = mask.From(ctx).Stream(), mask.From(ctx).Stream()
	bounded, cancel := ctx, func() {}
	if p.provider.Timeout == 0 {
		bounded, cancel = context.WithTimeout(ctx, programTimeout)
	}
	defer cancel()
	code, err := run.Run(bounded)
	switch {
	case bounded.Err() != nil:
		return nil, fault.New(fault.Timeout, "%s had not replied when its time was over, and was ended: raise the timeout", name)
	case err != nil:
		return nil, fault.New(fault.Unavailable, "%s cannot be run: %v", path, err)
	}
	out := run.Stdout.Text(false)
	if len(run.Stdout.Notes("it")) > 0 {
		return nil, fault.New(fault.Malformed, "%s printed more than %d MB, or what is no text", name, programOutput>>20)
	}
	got, read := p.program.read(ctx, out)
	switch {
	case read == nil && got.failed != "":
		return nil, fault.New(fault.Unavailable, "%s could not reply: %s", name, clip(p.redact(got.failed), 300))
	case code != 0:
		return nil, fault.New(fault.Unavailable, "%s ended with exit status %d%s", name, code, clip(p.redact(run.LastWords()), 300))
	case read != nil:
		return nil, fault.New(fault.Malformed, "%s printed something else than the provider %s in models.yaml says: %s", name, p.provider.Name, clip(p.redact(fault.Of(read).Message), 300))
	}
	return &got.Completion, nil
}

// environ is what the program finds in its environment: that of this process without keys and secrets, but those that it
// is said to need.
func (p *asProgram) environ(ctx context.Context) ([]string, error) {
	env := []string{}
	if p.o.Environ != nil {
		env = append(env, p.o.Environ()...)
	}
	for _, name := range p.program.Env {
		v, err := p.o.Secrets.Read(ctx, name)
		if err != nil {
			return nil, err
		}
		if v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env, nil
}

// spoken are messages for the text conversation.
func spoken(messages []Message) []any {
	out := []any{}
	for _, m := range messages {
		out = append(out, map[string]any{"role": m.Role, "content": m.Content})
	}
	return out
}

// printed is what a program's output says.
type printed struct {
	Completion
	failed string
}

// read takes the reply out of what the program printed. Expressions see output: the JSON, or the list of its lines.
func (p *Program) read(ctx context.Context, out string) (*printed, error) {
	got := &printed{}
	if p.Format == printsText {
		got.Text = strings.TrimRight(out, "\r\n")
		return got, nil
	}
	output, err := readOutput(p.Format, out)
	if err != nil {
		return nil, err
	}
	scope := cond.NewScope(time.Now())
	scope.Until(ctx)
	scope.Set("output", output)
	if e := p.Reply["error"]; e != nil {
		if v, err := e.Eval(scope); err == nil && v != nil && v != false && v != "" {
			got.failed = asText(v)
		}
	}
	text, err := p.Reply["text"].Eval(scope)
	if err != nil {
		if got.failed != "" {
			return got, nil
		}
		return nil, err
	}
	var ok bool
	if got.Text, ok = text.(string); !ok && got.failed == "" {
		return nil, fault.New(fault.Malformed, "its reply is %s, not text", value.TypeOf(text))
	}
	// What it says of its use is taken where it is there.
	number := func(key string) (float64, bool) {
		e := p.Reply[key]
		if e == nil {
			return 0, false
		}
		v, err := e.Eval(scope)
		if err != nil {
			return 0, false
		}
		f, err := strconv.ParseFloat(fmt.Sprint(v), 64)
		return f, err == nil && f >= 0
	}
	in, told := number("prompt_tokens")
	completion, toldToo := number("completion_tokens")
	if told && toldToo {
		cached, _ := number("cached_tokens")
		reasoning, _ := number("reasoning_tokens")
		got.Usage = &Usage{PromptTokens: int(in), CompletionTokens: int(completion), CachedTokens: min(int(cached), int(in)), ReasoningTokens: int(reasoning)}
	}
	if cost, ok := number("cost_usd"); ok {
		got.CostUSD = &cost
	}
	if e := p.Reply["model"]; e != nil {
		if v, err := e.Eval(scope); err == nil {
			got.Model, _ = v.(string)
		}
	}
	return got, nil
}

// readOutput reads JSON, or a list of what its lines hold. A line that is no JSON is passed over: programs print notes.
func readOutput(format, out string) (any, error) {
	if format == printsJSON {
		v, err := value.ParseJSON([]byte(strings.TrimSpace(out)))
		if err != nil {
			return nil, fault.New(fault.Malformed, "no JSON: %v", err)
		}
		return v, nil
	}
	list := []any{}
	for line := range bytes.Lines([]byte(out)) {
		if v, err := value.ParseJSON(bytes.TrimSpace(line)); err == nil {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return nil, fault.New(fault.Malformed, "no line of JSON")
	}
	return list, nil
}

// look gives the path of a program, "" if it is not on the PATH.
func (*Models) look(getenv func(string) string, name string) string {
	if filepath.IsAbs(name) {
		if runnable(name) {
			return name
		}
		return ""
	}
	for _, dir := range filepath.SplitList(getenv("PATH")) {
		if !filepath.IsAbs(dir) { // a program of the working directory is not asked
			continue
		}
		if path := filepath.Join(dir, name); runnable(path) {
			return path
		}
	}
	return ""
}

func runnable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
