package engine

import (
	"context"
	"crypto/sha256"
	"sync"
	"time"

	"pflow/internal/value"
)

// Answers keeps what steady ops gave, for runs that ask the same of the same surroundings, such as the plans of one request by several
// flows: what the second asks as the first did, it is given without working it out anew. The zero value is ready, and any number of
// runs may share it at once. Values of runs are never written to, so that they can be shared, too.
type Answers struct {
	mu   sync.Mutex
	kept map[[32]byte]*answer
}

// answer is of one question. Whoever asks meanwhile waits: it is worked out once.
type answer struct {
	sync.Mutex
	there  bool
	result any
	action string
}

type answersKey struct{}

// WithAnswers has the runs of a context keep what their steady ops give, and take what others of them gave.
func WithAnswers(ctx context.Context, a *Answers) context.Context {
	return context.WithValue(ctx, answersKey{}, a)
}

// steadyExec is the code of a steady op that is asked with these options.
func steadyExec(op *Op, with map[string]any, exec Exec) Exec {
	name := op.Name + "\n" + value.JSON(with) + "\n"
	return func(ctx context.Context, in Input) (Output, error) {
		a, ok := ctx.Value(answersKey{}).(*Answers)
		if !ok {
			return exec(ctx, in)
		}
		question := value.AppendJSON(in.Now.AppendFormat([]byte(name), time.RFC3339Nano), in.Prep)
		return a.give(question, func() (Output, error) { return exec(ctx, in) })
	}
}

// give is what was answered before, or is now. An error is no answer: it may be that of a run that was stopped.
func (a *Answers) give(question []byte, work func() (Output, error)) (Output, error) {
	key := sha256.Sum256(question)
	a.mu.Lock()
	if a.kept == nil {
		a.kept = map[[32]byte]*answer{}
	}
	known := a.kept[key]
	if known == nil {
		known = &answer{}
		a.kept[key] = known
	}
	a.mu.Unlock()
	known.Lock()
	defer known.Unlock()
	if known.there {
		return Output{Result: known.result, Action: known.action}, nil
	}
	out, err := work()
	if err != nil || out.Waits != "" || len(out.Meters) > 0 || out.Kept != nil {
		return out, err
	}
	if out.Result, err = value.Normalize(out.Result); err != nil {
		return out, err
	}
	known.there, known.result, known.action = true, out.Result, out.Action
	return out, nil
}
