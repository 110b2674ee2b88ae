package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pflow/internal/fault"
	"pflow/internal/home"
	"pflow/internal/mask"
	"pflow/internal/outbound"
	"pflow/internal/process"
	"pflow/internal/value"
)

// Host is what servers are started and reached from.
type Host struct {
	Home    home.Home
	Version string              // of this program, which servers are told
	Getenv  func(string) string // what ${NAME} in mcp.json is read from
	Environ []string            // what programs have in their environment, but what is withheld; nil: as this process
	Log     func(line string)   // shows what a server tells of its progress; nil: nobody
}

// Bounds on what a server may list.
const (
	maxPages  = 500
	maxTools  = 5000
	maxStderr = 64 << 10 // bytes of a program's standard error that are kept
	maxTold   = 2000     // bytes of a server's own message, in an error
)

// session is one server that was started or reached, with its tools.
type session struct {
	server  *Server
	client  *sdk.ClientSession
	program *process.Server // nil of an address
	http    *roundTripper   // nil of a program
	sent    *writer         // nil of an address
	meter   *meter
	masker  *mask.Masker
	listing *Listing

	mu      sync.Mutex
	told    time.Time // when progress was last shown
	changed string    // what it lists otherwise than before, until that was told
	unkept  error     // why what it lists could not be kept, until that was told
}

// start starts or reaches a server and lists its tools. It gives up after the server's patience. withheld reports which
// environment variables programs are not given unless they are named.
func (h *Host) start(ctx context.Context, s *Server, dir string, withheld func(string) bool) (*session, error) {
	bounded, cancel := context.WithTimeout(ctx, s.Patience())
	defer cancel()
	o := &session{server: s, meter: &meter{}, masker: h.masker(s)}
	transport, err := o.transport(ctx, h, dir, withheld)
	if err != nil {
		return nil, o.failed("start", err)
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "pflow", Version: h.Version}, &sdk.ClientOptions{
		Capabilities:                &sdk.ClientCapabilities{}, // neither roots, nor sampling, nor elicitation: what asks for one is refused
		ProgressNotificationHandler: func(_ context.Context, p *sdk.ProgressNotificationClientRequest) { o.tell(h, p.Params) },
	})
	// The protocol of the time before server/discover: every server speaks it, and one that answers nothing it does not know
	// is not waited for.
	const protocol = "2025-11-25"
	connected := fault.Async(func() (*sdk.ClientSession, error) {
		return client.Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: protocol})
	})
	select {
	case got := <-connected:
		if o.client, err = got.Value, got.Err; err != nil {
			err = o.explain(ctx, "initialize", err)
		}
	case <-bounded.Done():
		err = o.explain(ctx, "initialize", bounded.Err())
	}
	if err == nil {
		o.meter.rest()
		o.listing, err = o.list(ctx, bounded)
	}
	if err != nil {
		o.close()
		return nil, err
	}
	return o, nil
}

// transport is how the server is talked to.
func (o *session) transport(ctx context.Context, h *Host, dir string, withheld func(string) bool) (sdk.Transport, error) {
	s := o.server
	if s.URL != "" {
		endpoint, err := expand(s.URL, h.Getenv)
		if err != nil {
			return nil, fault.New(fault.Authentication, "%v", err)
		}
		headers := http.Header{}
		for k, text := range s.Headers {
			v, err := expand(text, h.Getenv)
			if err != nil {
				return nil, fault.New(fault.Authentication, "%v", err)
			}
			headers.Set(k, v)
		}
		o.http = &roundTripper{next: outbound.Transport(nil), headers: headers, meter: o.meter}
		return &sdk.StreamableClientTransport{Endpoint: endpoint, MaxRetries: 1, DisableStandaloneSSE: true, MaxEventSize: maxMessage,
			HTTPClient: &http.Client{Transport: o.http, CheckRedirect: sameOrigin}}, nil
	}
	argv := []string{s.Command}
	for _, a := range s.Args {
		v, err := expand(a, h.Getenv)
		if err != nil {
			return nil, fault.New(fault.Authentication, "%v", err)
		}
		argv = append(argv, v)
	}
	p := &process.Program{Argv: argv, Dir: dir, Env: h.environment(withheld), Apart: true, Stderr: process.Capture{Limit: maxStderr, Mask: o.masker.Stream()}}
	for _, k := range value.SortedKeys(s.Env) {
		v, err := expand(s.Env[k], h.Getenv)
		if err != nil {
			return nil, fault.New(fault.Authentication, "%v", err)
		}
		p.Set = append(p.Set, k+"="+v)
	}
	if strings.HasPrefix(s.Command, "~/") {
		argv[0] = filepath.Join(h.Getenv("HOME"), s.Command[1:])
	}
	program, err := p.Serve(ctx)
	if err != nil {
		return nil, err
	}
	o.program = program
	o.sent = &writer{WriteCloser: program, meter: o.meter, cancelled: make(chan struct{}, 1)}
	return &sdk.IOTransport{Reader: &lines{from: program, meter: o.meter}, Writer: o.sent, MaxLineLength: maxMessage + 1}, nil
}

// environment is what programs find in their environment, beside what the server names.
func (h *Host) environment(withheld func(string) bool) []string {
	out := []string{} // never nil, which would be all that this process has
	for _, v := range h.Environ {
		if name, _, _ := strings.Cut(v, "="); withheld == nil || !withheld(name) {
			out = append(out, v)
		}
	}
	return out
}

// masker masks the values that the server is given by headers and those of variables with the name of a key.
func (h *Host) masker(s *Server) *mask.Masker {
	var secrets []mask.Secret
	for _, name := range s.Variables() {
		inHeader := false
		for _, text := range s.Headers {
			inHeader = inHeader || strings.Contains(text, "${"+name+"}")
		}
		if v := h.Getenv(name); len(v) >= shortestKey && (inHeader || SecretName(name)) {
			secrets = append(secrets, mask.Env(name, v))
		}
	}
	return mask.New(secrets...)
}

// shortestKey is the length from which on a value is masked.
const shortestKey = 8

// list asks for the tools, page by page.
func (o *session) list(ctx, bounded context.Context) (*Listing, error) {
	l := &Listing{Server: o.server.Name, Config: o.server.Digest()}
	if r := o.client.InitializeResult(); r != nil && r.ServerInfo != nil {
		l.Version = cut(r.ServerInfo.Name+" "+r.ServerInfo.Version, 100)
	}
	params, seen := &sdk.ListToolsParams{}, map[string]bool{}
	for page := 0; ; page++ {
		if page >= maxPages {
			return nil, o.failed("tools/list", fault.New(fault.Malformed, "it lists its tools on more than %d pages", maxPages))
		}
		got := <-fault.Async(func() (*sdk.ListToolsResult, error) { return o.client.ListTools(bounded, params) })
		if got.Err != nil {
			return nil, o.explain(ctx, "tools/list", got.Err)
		}
		o.meter.rest()
		for _, t := range got.Value.Tools {
			if t == nil {
				return nil, o.failed("tools/list", fault.New(fault.Malformed, "one of its tools is null"))
			}
			if len(l.Tools) >= maxTools {
				return nil, o.failed("tools/list", fault.New(fault.Malformed, "it lists more than %d tools", maxTools))
			}
			l.add(t)
		}
		next := got.Value.NextCursor
		if next == "" {
			return l, nil
		}
		if seen[next] {
			return nil, o.failed("tools/list", fault.New(fault.Malformed, "it gives the cursor %q twice, so its list has no end", cut(next, 60)))
		}
		seen[next] = true
		params = &sdk.ListToolsParams{Cursor: next}
	}
}

// call calls a tool.
func (o *session) call(ctx context.Context, tool string, arguments map[string]any) (*sdk.CallToolResult, error) {
	bounded, cancel := context.WithTimeout(ctx, o.server.Patience())
	defer cancel()
	params := &sdk.CallToolParams{Name: tool, Arguments: arguments}
	params.SetProgressToken(tool)
	called := fault.Async(func() (*sdk.CallToolResult, error) { return o.client.CallTool(bounded, params) })
	got := <-called
	if got.Err != nil {
		if bounded.Err() != nil {
			o.awaitCancellation()
		}
		return nil, o.explain(ctx, "the tool "+tool, got.Err)
	}
	o.meter.rest()
	return got.Value, nil
}

// awaitCancellation waits until the server was told that a call is cancelled, but not long.
func (o *session) awaitCancellation() {
	timer := time.NewTimer(500 * time.Millisecond)
	defer timer.Stop()
	var told <-chan struct{}
	if o.sent != nil {
		told = o.sent.cancelled
	}
	select {
	case <-told:
	case <-timer.C:
	}
}

// close ends the session and the program of the server.
func (o *session) close() {
	if o.program == nil && o.client != nil { // an address is told; a program sees the end of its input
		o.end()
	}
	if o.program != nil {
		_ = o.program.Close()
		if o.client != nil {
			o.end()
		}
	}
}

// end lets go of the connection. A server that does not answer is not waited for long.
func (o *session) end() {
	timer := time.NewTimer(2 * time.Second)
	defer timer.Stop()
	select {
	case <-fault.Async(func() (struct{}, error) { return struct{}{}, o.client.Close() }):
	case <-timer.C:
	}
}

// over reports whether nothing more can be asked on this session.
func (o *session) over() bool {
	if _, wrong := o.meter.complaint(); wrong != nil {
		return true
	}
	if o.program != nil {
		_, ended := o.program.Ended(0)
		return ended
	}
	return false
}

// The codes of JSON-RPC that say that a request was wrong, and those that the SDK gives itself.
const (
	codeInvalidParams  = -32602
	codeMethodNotFound = -32601
)

var ownCodes = []int64{-32003, -32004, -32005}

// explain makes one error of whatever a request to the server came to.
func (o *session) explain(ctx context.Context, doing string, err error) error {
	if ctx.Err() != nil { // the run, or the node, has ended
		return ctx.Err()
	}
	noise, wrong := o.meter.complaint()
	if wrong != nil {
		return o.failed(doing, wrong)
	}
	said := ""
	if noise != "" {
		said = "; it wrote what is no JSON-RPC message: " + noise
	}
	if o.program != nil {
		patience := time.Duration(0)
		if o.meter.endedItself() && !errors.Is(err, context.DeadlineExceeded) {
			patience = 2 * time.Second // the end of its pipes is often seen before that of the program
		}
		if code, ended := o.program.Ended(patience); ended && o.meter.endedItself() {
			return o.failed(doing, fault.New(fault.Unavailable, "its program ended with exit status %d%s%s", code, said, o.lastWords()))
		}
	}
	var told *jsonrpc.Error
	var known *fault.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return o.failed(doing, fault.New(fault.Timeout, "no answer within %s%s%s", o.server.Patience(), said, o.lastWords()))
	case o.http != nil && o.http.refusal() != 0:
		return o.failed(doing, refusal(o.http.refusal(), o.server))
	case errors.As(err, &told) && !slices.Contains(ownCodes, told.Code):
		kind := fault.Failure
		if told.Code == codeInvalidParams || told.Code == codeMethodNotFound {
			kind = fault.InvalidRequest
		}
		return o.failed(doing, &fault.Error{Kind: kind, Message: fmt.Sprintf("it refuses: %s (code %d)", cut(told.Message, maxTold), told.Code)})
	case errors.As(err, &known) && known.Kind == fault.Bug:
		return o.failed(doing, fault.New(fault.Malformed, "its answer cannot be read: %s", cut(known.Message, maxTold)))
	case known != nil:
		return o.failed(doing, known)
	case o.http != nil && errors.As(err, &told):
		return o.failed(doing, fault.New(fault.Network, "it cannot be reached: %s", cut(err.Error(), maxTold)))
	}
	return o.failed(doing, fault.New(fault.Malformed, "its answer cannot be read: %s%s%s", cut(err.Error(), maxTold), said, o.lastWords()))
}

// refusal is the error of a response that is no success.
func refusal(status int, s *Server) error {
	text := fmt.Sprintf("it answers with status %d %s", status, http.StatusText(status))
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		hint := "; give it a header, as in: pflow mcp add " + s.Name + " --url " + s.URL + " --header 'Authorization=Bearer env:NAME' --replace"
		if len(s.Headers) > 0 {
			hint = "; look at the variables " + strings.Join(s.Variables(), ", ")
		}
		return fault.New(fault.Authentication, "%s%s", text, hint)
	case status == http.StatusNotFound:
		return fault.New(fault.NotFound, "%s; is %s the address of its MCP endpoint?", text, s.URL)
	case status == http.StatusTooManyRequests:
		return fault.New(fault.RateLimit, "%s", text)
	case status >= 500:
		return fault.New(fault.Unavailable, "%s", text)
	}
	return fault.New(fault.InvalidRequest, "%s", text)
}

// lastWords is the end of what the program wrote to its standard error.
func (o *session) lastWords() string {
	if o.program == nil {
		return ""
	}
	if s := o.program.LastWords(); s != "" {
		return ": " + s
	}
	return ""
}

// failed names the server in an error, and masks what it was given.
func (o *session) failed(doing string, err error) error {
	e := fault.Of(err)
	kind, message := e.Kind, e.Message
	switch {
	case errors.Is(err, exec.ErrNotFound):
		kind, message = fault.NotFound, fmt.Sprintf("there is no program %q on the PATH; install it, or change the server's command", o.server.Command)
	case kind == fault.Failure && doing == "start":
		kind, message = fault.Unavailable, "its program cannot be started: "+message
	}
	return &fault.Error{Kind: kind, Message: o.masker.Text(fmt.Sprintf("the MCP server %s: %s: %s", o.server.Name, doing, message)),
		Details: map[string]any{"server": o.server.Name, "during": doing}}
}

// cut bounds a text from outside for a message.
func cut(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// tell shows what the server says of its progress, at most once a second.
func (o *session) tell(h *Host, p *sdk.ProgressNotificationParams) {
	if h.Log == nil || p == nil || p.Message == "" {
		return
	}
	o.mu.Lock()
	now := time.Now()
	due := now.Sub(o.told) >= time.Second
	if due {
		o.told = now
	}
	o.mu.Unlock()
	if due {
		h.Log(o.server.Name + ": " + o.masker.Text(cut(p.Message, 200)))
	}
}
