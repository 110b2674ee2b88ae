package mcpserve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pflow/internal/fault"
)

// ServeStreams serves one client over two streams, one JSON-RPC message a line, until in ends or ctx is done. When it returns
// no call is under way.
func (s *Server) ServeStreams(ctx context.Context, in io.Reader, out io.Writer) error {
	conn := &lineConn{out: out, lines: make(chan line), closed: make(chan struct{})}
	fault.Go(func() { conn.readLines(in) }, func(err error) { conn.send(line{err: err}) })
	session, err := s.sdk.Connect(context.WithoutCancel(ctx), conn, nil)
	if err != nil {
		return err
	}
	ended := fault.Async(func() (struct{}, error) { return struct{}{}, session.Wait() })
	select {
	case <-ctx.Done():
		s.calls.end("", errStopped)
		s.calls.done.Wait()
		session.Close()
		<-ended
		return ctx.Err()
	case o := <-ended:
		s.calls.end("", errGone)
		s.calls.done.Wait()
		if errors.Is(o.Err, io.EOF) {
			return nil
		}
		return o.Err
	}
}

// line is one of the input, or why there are no more.
type line struct {
	data []byte
	long bool // it was longer than MaxMessage, and is not kept
	err  error
}

// lineConn is a connection that answers what is no message with an error and reads on: a client's slip does not end the session,
// and the runs in it, as it would with the SDK's own.
type lineConn struct {
	lines  chan line
	closed chan struct{}
	once   sync.Once

	mu  sync.Mutex
	out io.Writer
}

// Connect implements mcp.Transport.
func (c *lineConn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID implements mcp.Connection.
func (c *lineConn) SessionID() string { return "" }

// Close implements mcp.Connection. A read of the input that is under way is left behind.
func (c *lineConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

func (c *lineConn) send(l line) bool {
	select {
	case c.lines <- l:
		return true
	case <-c.closed:
		return false
	}
}

func (c *lineConn) readLines(in io.Reader) {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		var l line
		for {
			part, err := r.ReadSlice('\n')
			if l.long = l.long || len(l.data)+len(part) > MaxMessage; l.long {
				l.data = nil
			} else {
				l.data = append(l.data, part...)
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			l.err = err
			break
		}
		err := l.err
		if l.err = nil; (l.long || len(bytes.TrimSpace(l.data)) > 0) && !c.send(l) {
			return
		}
		if err != nil {
			c.send(line{err: err})
			return
		}
	}
}

// Read implements mcp.Connection.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case l := <-c.lines:
			if l.err != nil {
				return nil, l.err
			}
			msg, refusal := l.message()
			if refusal == nil {
				return msg, nil
			}
			if err := c.writeLine(refusal); err != nil {
				return nil, err
			}
		}
	}
}

// message reads a line, or gives the answer to what is none.
func (l line) message() (jsonrpc.Message, []byte) {
	data := bytes.TrimSpace(l.data)
	switch {
	case l.long:
		return nil, refusal(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message is longer than %d MB", MaxMessage>>20))
	case !json.Valid(data):
		return nil, refusal(nil, jsonrpc.CodeParseError, "the line is no JSON: want one JSON-RPC message a line")
	case data[0] == '[':
		return nil, refusal(nil, jsonrpc.CodeInvalidRequest, "a batch is not taken: want one JSON-RPC message a line")
	}
	msg, err := jsonrpc.DecodeMessage(data)
	if err != nil {
		var read struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.Unmarshal(data, &read) // a message without an id that can be read is answered without one
		return nil, refusal(read.ID, jsonrpc.CodeInvalidRequest, fmt.Sprintf("this is no JSON-RPC message: %v", err))
	}
	return msg, nil
}

func refusal(id json.RawMessage, code int, message string) []byte {
	if len(id) == 0 || id[0] == '{' || id[0] == '[' {
		id = json.RawMessage("null")
	}
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message}})
	if err != nil {
		panic("mcpserve: an error is no JSON: " + err.Error())
	}
	return data
}

// Write implements mcp.Connection.
func (c *lineConn) Write(_ context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	return c.writeLine(data)
}

func (c *lineConn) writeLine(data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.out.Write(append(data, '\n'))
	return err
}
