package nodes

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pflow/internal/atomicfile"
	"pflow/internal/download"
	"pflow/internal/fault"
	"pflow/internal/mask"
	"pflow/internal/nodetype"
	"pflow/internal/outbound"
	"pflow/internal/value"
	"pflow/ir"
)

// Bounds on download that a workflow may set otherwise, and how long a server may send nothing.
const (
	defaultMaxBytes        = 2 << 30
	defaultDownloadTimeout = time.Hour
	downloadIdle           = time.Minute
)

// downloadType fetches a file.
func downloadType(d Deps) nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "download",
			Description: "Downloads or saves a file of any kind and size from the web, byte for byte.",
			Inputs: []ir.Port{
				{Key: "url", Type: value.String, Required: true, Description: "Where it is, beginning with https:// or http://."},
				{Key: "dest_path", Type: value.String, Required: true, Description: "The file to make, or a folder, which keeps the name that the file has on the web; with a slash at its end it is made."},
			},
			Params: []ir.Port{
				overwritePort(),
				{Key: "sha256", Type: value.String, Description: "The SHA-256 that the file must have, in hexadecimal; with another it is not kept."},
				{Key: "max_bytes", Type: value.Integer, Default: defaultMaxBytes, Description: "How many bytes it may have at most."},
				{Key: "timeout", Type: value.Any, Default: "1h", Description: "How long it may take: seconds, or a duration such as 30s or 10m."},
				{Key: "headers", Type: value.Object, Default: map[string]any{}, Description: "Headers of the request, by name."},
				{Key: "resume", Type: value.Boolean, Default: true, Description: "Go on with what an earlier try left, if the server says that the file is still the same."},
			},
			Outputs: []ir.Port{
				{Key: "dest_path", Type: value.String, Description: "The file, beginning with dest_path."},
				{Key: "bytes", Type: value.Integer, Description: "How many bytes it has."},
				{Key: "sha256", Type: value.String, Description: "Its SHA-256, in hexadecimal."},
			},
			Effects: []ir.Effect{ir.Writes, ir.Network, ir.Idempotent},
		},
		Check:   checkDownload,
		Foresee: foreseeDownload,
		Run:     func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) { return runDownload(ctx, d, c) },
		Example: nodetype.Example{
			Params:  map[string]any{"url": "https://api.example.com/items.json", "dest_path": "data/"},
			Outputs: map[string]any{"dest_path": "data/items.json", "bytes": 12, "sha256": "50b5ac2e2dca781a837d8a4120a90dd7c7fff8c373301f996af9967f7fcd1660"},
			Want:    map[string]string{"data/items.json": `{"count": 2}`},
		},
	}
}

func checkDownload(params map[string]any) []ir.Problem {
	problems := checkDuration(params, "timeout")
	if sum, ok := params["sha256"].(string); ok && !strings.ContainsRune(sum, '$') {
		if _, err := wantedSum(sum); err != nil {
			problems = append(problems, ir.Problem{Path: "sha256", Message: err.Error()})
		}
	}
	return problems
}

// wantedSum reads a SHA-256 in hexadecimal; "" wants none.
func wantedSum(text string) (string, error) {
	sum := strings.ToLower(strings.TrimSpace(text))
	if sum != "" && (len(sum) != 64 || strings.Trim(sum, "0123456789abcdef") != "") {
		return "", fault.New(fault.InvalidRequest, "sha256 is %s: a SHA-256 has 64 hexadecimal digits", quote(text))
	}
	return sum, nil
}

func runDownload(ctx context.Context, d Deps, c nodetype.Call) (nodetype.Outcome, error) {
	timeout, err := duration(c.Params["timeout"], "timeout", defaultDownloadTimeout)
	if err != nil {
		return nodetype.Outcome{}, err
	}
	sum, err := wantedSum(c.Text("sha256"))
	if err != nil {
		return nodetype.Outcome{}, err
	}
	most := int64(defaultMaxBytes)
	if v, ok := c.Params["max_bytes"].(int); ok {
		if most = int64(v); most < 1 {
			return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "max_bytes must be at least 1")
		}
	}
	u, err := httpURL(c.Text("url"))
	if err != nil {
		return nodetype.Outcome{}, err
	}
	to, err := newDownloadTarget(c, u)
	if err != nil {
		return nodetype.Outcome{}, err
	}
	doing := "GET " + where(u)
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var warnings []string
	file, err := download.Get(bounded, download.Request{
		Client:  httpClient(d.HTTP),
		Partial: filepath.Join(to.dir, download.Partial(u.String(), to.key)),
		Resume:  c.Params["resume"] != false, MaxBytes: most, Idle: downloadIdle,
		New: func(ctx context.Context) (*http.Request, error) {
			req, err := http.NewRequestWithContext(outbound.Asks(ctx, u), http.MethodGet, u.String(), nil)
			if err == nil {
				setHeaders(req, c.Object("headers"))
			}
			return req, err
		},
		Begin: func(resp *http.Response) error {
			if sent := resp.Header.Get("Content-Encoding"); sent != "" && sent != "identity" {
				warnings = []string{doing + ": the server sent the file packed (" + sent + "), and it is kept as it came"}
			}
			return to.named(c, resp.Header)
		},
	})
	if err != nil {
		if ctx.Err() != nil {
			return nodetype.Outcome{}, ctx.Err()
		}
		return nodetype.Outcome{}, downloadFault(ctx, doing, to.doing, timeout, err)
	}
	defer file.Close()
	if sum != "" && sum != file.SHA256 {
		return nodetype.Outcome{}, &fault.Error{Kind: fault.Failure, Details: map[string]any{"sha256": file.SHA256},
			Message: doing + ": the file has the SHA-256 " + file.SHA256 + ", not the one wanted; it was not kept. If the file was changed on purpose, give its new sum"}
	}
	temp := filepath.Join(to.dir, download.Partial(u.String(), to.key))
	if err := file.Renames(); err != nil {
		return nodetype.Outcome{}, fileFault(to.doing, err)
	}
	err = putFile(ctx, c, to.path, temp, c.Flag("overwrite"), func(replace bool) error { return rename(temp, to.path, replace) })
	if errors.Is(err, fs.ErrExist) {
		return nodetype.Outcome{}, existsFault(to.doing, to.given, c.Flag("overwrite"))
	}
	if err != nil {
		return nodetype.Outcome{}, fileFault(to.doing, err)
	}
	atomicfile.SyncFolder(to.dir)
	return nodetype.Outcome{Outputs: map[string]any{"dest_path": to.given, "bytes": int(file.Bytes), "sha256": file.SHA256}, Warnings: warnings}, nil
}

// downloadFault says what kept a file from being fetched.
func downloadFault(ctx context.Context, doing, saving string, timeout time.Duration, err error) error {
	var status *download.StatusError
	var path *os.PathError
	switch {
	case errors.As(err, &status):
		body, _ := readBody([]byte(status.Body), "text/plain")
		return statusFault(ctx, doing, status.Status, body)
	case errors.As(err, &path):
		return fileFault(saving, err)
	case errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.Timeout, "%s: not done within %s; what came is kept if the server lets a transfer go on: run it again, or raise timeout", doing, timeout)
	}
	return networkFault(doing, timeout, err)
}

// httpURL reads an address of the web.
func httpURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fault.New(fault.InvalidRequest, "url %s is no address that begins with https:// or http://", quote(text))
	}
	return u, nil
}

// setHeaders gives a request its headers.
func setHeaders(req *http.Request, headers map[string]any) {
	req.Header.Set("User-Agent", "pflow")
	for name, v := range headers {
		if v == nil {
			continue
		}
		req.Header.Set(name, ir.Text(v))
		if strings.EqualFold(name, "Host") {
			req.Host = ir.Text(v)
		}
	}
}

// statusFault is the error of an answer from status 400 on. Details.status is the status.
func statusFault(ctx context.Context, doing string, status int, body any) error {
	message := doing + ": " + strings.TrimSpace(ir.Text(status)+" "+http.StatusText(status))
	if text := strings.TrimSpace(ir.Text(body)); text != "" {
		text = mask.From(ctx).Text(text) // before it is cut
		if len(text) > maxShown {
			text = strings.ToValidUTF8(text[:maxShown], "") + "…"
		}
		message += ": " + text
	}
	return &fault.Error{Kind: statusKind(status), Message: message, Details: map[string]any{"status": status}}
}
