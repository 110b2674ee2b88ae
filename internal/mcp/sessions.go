package mcp

import (
	"context"
	"fmt"
	"sync"

	"pflow/internal/diag"
	"pflow/internal/fault"
)

// Sessions are the servers that one run has started or reached: each when it is first called, and then for all calls. It is
// safe for concurrent use.
type Sessions struct {
	host *Host
	ctx  context.Context // of the run: a server outlives the node that started it
	end  context.CancelFunc

	mu   sync.Mutex
	open map[string]*opening
	over bool
}

// opening is a server that is being started, or was.
type opening struct {
	ready   chan struct{} // closed when session or err is there
	session *session
	err     error
}

type contextKey struct{}

// Within gives the runs of a context sessions of their own, unless it has some: runs within a run share them. close ends
// them.
func (h *Host) Within(ctx context.Context) (within context.Context, close func()) {
	if h == nil || ctx.Value(contextKey{}) != nil {
		return ctx, func() {}
	}
	p := &Sessions{host: h, open: map[string]*opening{}}
	p.ctx, p.end = context.WithCancel(ctx)
	return context.WithValue(ctx, contextKey{}, p), p.close
}

// close ends all sessions at once.
func (p *Sessions) close() {
	p.mu.Lock()
	p.over = true
	open := p.open
	p.open = nil
	p.mu.Unlock()
	p.end()
	var wait sync.WaitGroup
	for _, o := range open {
		wait.Add(1)
		fault.Go(func() {
			defer wait.Done()
			<-o.ready
			if o.session != nil {
				o.session.close()
			}
		}, func(error) {})
	}
	wait.Wait()
}

// get gives the session of a server and starts it if there is none. Whoever asks at the same time waits for the same start.
func (p *Sessions) get(ctx context.Context, s *Server, dir string, withheld func(string) bool) (*session, error) {
	p.mu.Lock()
	if p.over {
		p.mu.Unlock()
		return nil, context.Canceled
	}
	o := p.open[s.Name]
	if o != nil && o.isOver() {
		dead := o.session
		fault.Go(dead.close, func(error) {})
		o = nil
	}
	if o == nil {
		o = &opening{ready: make(chan struct{})}
		p.open[s.Name] = o
		fault.Go(func() {
			o.session, o.err = p.host.start(p.ctx, s, dir, withheld)
			if o.err == nil {
				o.session.changed, o.session.unkept = p.host.Renew(o.session.listing)
			}
			if o.err != nil {
				p.forget(s.Name, o)
			}
			close(o.ready)
		}, func(err error) {
			o.err = err
			p.forget(s.Name, o)
			close(o.ready)
		})
	}
	p.mu.Unlock()
	select {
	case <-o.ready:
		return o.session, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// forget lets the next call start the server again.
func (p *Sessions) forget(name string, o *opening) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[name] == o {
		delete(p.open, name)
	}
}

// isOver reports whether the session is there and can be asked no more.
func (o *opening) isOver() bool {
	select {
	case <-o.ready:
		return o.session != nil && o.session.over()
	default:
		return false
	}
}

// Request is one call of a tool.
type Request struct {
	Target
	Arguments map[string]any
	Dir       string                 // the working directory of a program that is started for it
	Withheld  func(name string) bool // the environment variables that such a program is not given unless it names them
}

// Answer is what a tool gave.
type Answer struct {
	Outputs  map[string]any
	Warnings []string
}

// Call calls a tool, on the session of the run. The error says at which server and tool, and what to do.
func (h *Host) Call(ctx context.Context, r Request) (*Answer, error) {
	p, _ := ctx.Value(contextKey{}).(*Sessions)
	if p == nil {
		within, end := h.Within(ctx)
		defer end()
		return h.Call(within, r)
	}
	s, err := h.Find(r.Server)
	if err != nil {
		return nil, err
	}
	if r.Config != "" && r.Config != s.Digest() {
		return nil, fault.New(fault.Refused, "the MCP server %s is started or reached otherwise than when this was planned; list its tools with: pflow mcp check %[1]s, and look at the plan again", s.Name)
	}
	o, err := p.get(ctx, s, r.Dir, r.Withheld)
	if err != nil {
		return nil, err
	}
	answer := &Answer{Warnings: o.news()}
	tool := o.listing.Tool(r.Tool)
	if tool == nil {
		hint := "; pflow mcp list --tools shows those there are"
		if near := o.listing.Nearest(r.Tool); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		return answer, o.failed("tools/list", fault.New(fault.NotFound, "it has no tool %q%s", cut(r.Tool, 60), hint))
	}
	if r.Form != "" && r.Form != tool.Digest() {
		return answer, o.failed("the tool "+r.Tool, fault.New(fault.Refused, "it takes, gives or does something else than when this was planned; it is known anew now, so look at the plan again"))
	}
	if err := tool.takes(r.Arguments); err != nil {
		return answer, o.failed("the tool "+r.Tool, err)
	}
	got, err := o.call(ctx, r.Tool, r.Arguments)
	if err != nil {
		return answer, err
	}
	answer.Outputs, err = tool.outcome(got)
	if err != nil {
		return answer, o.failed("the tool "+r.Tool, err)
	}
	answer.Outputs, _ = o.masker.Value(answer.Outputs).(map[string]any)
	return answer, nil
}

// Find gives a server of the home. The error says which there are.
func (h *Host) Find(name string) (*Server, error) {
	servers, found, err := Servers(h.Home)
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "%v", err)
	}
	var names []string
	for _, s := range servers {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	for _, f := range found {
		if f.Path == section+"."+name {
			return nil, fault.New(fault.InvalidRequest, "%s", f.Message)
		}
	}
	hint := "; pflow mcp add " + name + " -- COMMAND adds one"
	if near := diag.Nearest(name, names); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return nil, fault.New(fault.NotFound, "there is no MCP server %q%s", cut(name, 60), hint)
}

// Renew keeps a listing if it differs from what is known, and says what does; "" if nothing does, or nothing was known.
func (h *Host) Renew(l *Listing) (changed string, err error) {
	before, err := ReadListing(h.Home, l.Server)
	if err != nil || before == nil {
		return "", l.Keep(h.Home)
	}
	changed = l.Difference(before)
	if changed == "" && before.Config == l.Config && before.Version == l.Version {
		return "", nil
	}
	return changed, l.Keep(h.Home)
}

// Ask starts or reaches a server, lists its tools and ends it.
func (h *Host) Ask(ctx context.Context, s *Server, dir string, withheld func(string) bool) (*Listing, error) {
	o, err := h.start(ctx, s, dir, withheld)
	if err != nil {
		return nil, err
	}
	defer o.close()
	return o.listing, nil
}

// news are what is to be told once of a session: what its server lists otherwise than before.
func (o *session) news() (out []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.unkept != nil {
		out = append(out, fmt.Sprintf("what the MCP server %s lists could not be kept: %v", o.server.Name, o.unkept))
	}
	if o.changed != "" {
		out = append(out, fmt.Sprintf("the MCP server %s lists other tools than before: %s", o.server.Name, o.changed))
	}
	o.changed, o.unkept = "", nil
	return out
}
