package mcpserve

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// Options are a server's surroundings.
type Options struct {
	Host    Host
	Version string            // of the program
	Warn    func(text string) // told of what goes wrong beside the calls
}

// Server offers the tools of one home. It serves any number of clients at once.
type Server struct {
	o   Options
	sdk *mcp.Server

	mu    sync.Mutex
	state string            // of the host, when the tools were made
	shown map[string]string // the tools of workflows: name -> definition

	calls calls
}

// New makes a server with its tools.
func New(ctx context.Context, o Options) (*Server, error) {
	s := &Server{o: o, shown: map[string]string{}}
	s.sdk = mcp.NewServer(&mcp.Implementation{Name: "pflow", Title: "pflow", Version: o.Version}, &mcp.ServerOptions{
		Instructions: instructions, SupportedProtocolVersions: protocolVersions,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
	})
	for _, t := range tools() {
		s.sdk.AddTool(&mcp.Tool{
			Name: t.name, Title: t.title, Description: t.description, InputSchema: schemaOf(t.params),
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: t.reads, DestructiveHint: new(!t.reads && !t.additive), IdempotentHint: t.reads, OpenWorldHint: &t.open},
		}, s.handler(t.name, func(ctx context.Context, a arguments, c *Client) (Answer, error) {
			if err := a.check(t.name, t.params); err != nil {
				return Answer{}, err
			}
			return t.do(ctx, o.Host, a, c)
		}))
	}
	return s, s.Refresh(ctx)
}

// Refresh makes the tools of workflows those that there are now; clients are told of a change.
func (s *Server) Refresh(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := s.o.Host.State()
	if state == s.state {
		return nil
	}
	workflows, err := s.o.Host.Workflows(ctx)
	if err != nil {
		return err
	}
	s.state = state
	now := map[string]string{}
	for i := range workflows {
		w := &workflows[i]
		t := w.definition()
		now[t.Name] = value.JSON(plain(t)) + w.Name
		if now[t.Name] == s.shown[t.Name] {
			continue
		}
		s.sdk.AddTool(t, s.handler(t.Name, func(ctx context.Context, a arguments, c *Client) (Answer, error) {
			return s.o.Host.Run(ctx, w.request(a), c)
		}))
	}
	var gone []string
	for name := range s.shown {
		if now[name] == "" {
			gone = append(gone, name)
		}
	}
	s.sdk.RemoveTools(gone...)
	s.shown = now
	return nil
}

// every is how long a change of the library by others may go unnoticed.
const every = time.Second

// Watch begins to refresh the tools, until ctx is done.
func (s *Server) Watch(ctx context.Context) {
	fault.Go(func() { s.watch(ctx) }, func(err error) { s.warn(err) })
}

func (s *Server) warn(err error) {
	if s.o.Warn != nil {
		s.o.Warn("the tools stay as they were: " + err.Error())
	}
}

func (s *Server) watch(ctx context.Context) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	last := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			err := fault.Guard(func() error { return s.Refresh(ctx) })
			if err == nil {
				last = ""
			} else if err.Error() != last {
				last = err.Error()
				s.warn(err)
			}
		}
	}
}

// handler is a tool's: it reads the arguments, and whatever happens answers so that a model can do better next time.
func (s *Server) handler(name string, do func(context.Context, arguments, *Client) (Answer, error)) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, end, err := s.calls.begin(ctx, req)
		if err != nil {
			return refused(err), nil
		}
		defer end()
		c := newClient(ctx, req)
		var answer Answer
		err = fault.Guard(func() error {
			a, err := readArguments(name, req.Params.Arguments)
			if err == nil {
				answer, err = do(context.WithValue(ctx, clientKey{}, c), a, c)
			}
			return err
		})
		c.end()
		if err := s.Refresh(context.WithoutCancel(ctx)); err != nil {
			s.warn(err)
		}
		if err != nil {
			return refused(err), nil
		}
		return answer.result(), nil
	}
}

// maxCalls bounds the calls under way, of all clients together.
const maxCalls = 64

// calls are those under way.
type calls struct {
	mu       sync.Mutex
	n        int
	under    map[int]*call
	requests map[string]context.Context // of HTTP, by the mark that they carry
	stopped  bool
	done     sync.WaitGroup
}

type call struct {
	session string
	cancel  context.CancelCauseFunc
}

var (
	errStopped = errors.New("the server stops")
	errGone    = errors.New("the client is gone")
)

// begin notes a call. Its context ends with the call, with the server and with the connection that would carry the answer.
func (s *calls) begin(ctx context.Context, req *mcp.CallToolRequest) (context.Context, func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.stopped:
		return nil, nil, errStopped
	case len(s.under) >= maxCalls:
		return nil, nil, fault.New(fault.RateLimit, "%d calls are under way, and no more at once are taken: call again when one has ended", maxCalls)
	case s.under == nil:
		s.under = map[int]*call{}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s.n++
	id := s.n
	s.under[id] = &call{req.Session.ID(), cancel}
	s.done.Add(1)
	if req.Extra != nil {
		if carrier := s.requests[req.Extra.Header.Get(requestMark)]; carrier != nil {
			fault.Go(func() {
				select {
				case <-carrier.Done():
					cancel(errGone)
				case <-ctx.Done():
				}
			}, cancel)
		}
	}
	return ctx, func() {
		cancel(nil)
		s.mu.Lock()
		delete(s.under, id)
		s.mu.Unlock()
		s.done.Done()
	}, nil
}

// end ends the calls of a session; those of all with "", and then no more are taken.
func (s *calls) end(session string, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = s.stopped || session == ""
	for _, c := range s.under {
		if session == "" || c.session == session {
			c.cancel(why)
		}
	}
}
