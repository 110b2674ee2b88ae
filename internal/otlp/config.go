package otlp

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"pflow/internal/fault"
)

// tracesPath is what a collector's address ends in where it takes spans.
const tracesPath = "/v1/traces"

// defaultTimeout bounds a request, as the specification has it.
const defaultTimeout = 10 * time.Second

// config is where spans go and what is said with all of them.
type config struct {
	url      *url.URL
	headers  [][2]string
	timeout  time.Duration
	gzip     bool
	resource []attribute
	parent   *parent
}

// shown is the address for messages: what may hold a key is left out.
func (c *config) shown() string {
	u := *c.url
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// CheckURL says what is wrong with the address of a collector, or nil.
func CheckURL(text string) error {
	_, err := readURL(text)
	return err
}

func readURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "": // the parser's error would quote it
		return nil, fault.New(fault.InvalidRequest, "want the address of a collector, such as http://localhost:4318")
	case u.Fragment != "":
		return nil, fault.New(fault.InvalidRequest, "the address of a collector has no part after #")
	}
	return u, nil
}

// base is the address that takes spans at a collector.
func base(u *url.URL) *url.URL {
	if strings.HasSuffix(strings.TrimRight(u.Path, "/"), tracesPath) {
		return u
	}
	return u.JoinPath(tracesPath)
}

// read reads what the flag and the environment say, as the specification of OpenTelemetry has it; nil: nothing is to be sent. An
// error says why nothing can be.
func read(flag, version string, getenv func(string) string) (*config, error) {
	first := func(names ...string) (name, text string) {
		for _, name := range names {
			if text := strings.TrimSpace(getenv(name)); text != "" {
				return name, text
			}
		}
		return "", ""
	}
	tracesName, traces := first("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	name, endpoint := first("OTEL_EXPORTER_OTLP_ENDPOINT")
	_, exporters := first("OTEL_TRACES_EXPORTER")
	switch {
	case flag == "" && traces == "" && endpoint == "":
		return nil, nil
	case strings.EqualFold(strings.TrimSpace(getenv("OTEL_SDK_DISABLED")), "true"):
		if flag != "" {
			return nil, fmt.Errorf("OTEL_SDK_DISABLED is true, so nothing is sent to --otlp")
		}
		return nil, nil
	case flag == "" && exporters != "" && !slices.ContainsFunc(strings.Split(exporters, ","), func(e string) bool { return strings.TrimSpace(e) == "otlp" }):
		return nil, nil
	}
	c := &config{timeout: defaultTimeout}
	var err error
	switch {
	case flag != "":
		if c.url, err = readURL(flag); err != nil {
			return nil, fmt.Errorf("--otlp: %w", err)
		}
		c.url = base(c.url)
	case traces != "":
		if c.url, err = readURL(traces); err != nil {
			return nil, fmt.Errorf("%s: %w", tracesName, err)
		}
		c.url.Path = cmp.Or(c.url.Path, "/")
	default:
		if c.url, err = readURL(endpoint); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		c.url = c.url.JoinPath(tracesPath)
	}
	if name, text := first("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"); text == "grpc" && flag == "" {
		return nil, fmt.Errorf("%s is grpc, and pflow speaks http/json: give the address of a collector's HTTP port with --otlp, such as http://localhost:4318", name)
	}
	if name, text := first("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"); text != "" {
		ms, err := strconv.Atoi(text)
		if err != nil || ms <= 0 {
			return nil, fmt.Errorf("%s: want milliseconds, got %q", name, text)
		}
		c.timeout = min(time.Duration(ms)*time.Millisecond, time.Minute)
	}
	if name, text := first("OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "OTEL_EXPORTER_OTLP_COMPRESSION"); text != "" && text != "none" {
		if c.gzip = text == "gzip"; !c.gzip {
			return nil, fmt.Errorf("%s: want gzip or none, got %q", name, text)
		}
	}
	if name, text := first("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"); text != "" {
		if c.headers, err = pairs(text); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if c.resource, err = resource(version, getenv); err != nil {
		return nil, err
	}
	c.parent = readParent(getenv("TRACEPARENT"))
	if c.parent != nil && !c.parent.sampled {
		return nil, nil
	}
	return c, nil
}

// resource is what sends the spans.
func resource(version string, getenv func(string) string) ([]attribute, error) {
	given, err := pairs(getenv("OTEL_RESOURCE_ATTRIBUTES"))
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	out := []attribute{{"service.name", "pflow"}, {"service.version", version}}
	set := func(key, text string) {
		for i := range out {
			if out[i].key == key {
				out[i].value = text
				return
			}
		}
		out = append(out, attribute{key, text})
	}
	for _, p := range given {
		set(p[0], p[1])
	}
	if name := strings.TrimSpace(getenv("OTEL_SERVICE_NAME")); name != "" {
		set("service.name", name)
	}
	return out, nil
}

// pairs reads key=value,key=value, the values being escaped as in URLs. Errors quote none of it: it may hold keys.
func pairs(text string) (out [][2]string, err error) {
	for i, part := range strings.Split(text, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		key, escaped, ok := strings.Cut(part, "=")
		key = strings.TrimSpace(key)
		v, err := url.PathUnescape(strings.TrimSpace(escaped))
		if !ok || key == "" || err != nil || strings.ContainsAny(key+v, "\r\n\x00") || strings.ContainsAny(key, " \t:") {
			return nil, fmt.Errorf("item %d: want name=value, separated by commas, a sign such as a comma in a value being written %%2C", i+1)
		}
		out = append(out, [2]string{key, v})
	}
	return out, nil
}
