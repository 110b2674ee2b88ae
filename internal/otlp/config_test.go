package otlp

import (
	"fmt"
	"strings"
	"testing"
)

// TestRead: what the flag and the environment come to, as the specification of OpenTelemetry has it.
func TestRead(t *testing.T) {
	for _, c := range []struct{ flag, environment, want string }{
		{"", "", "nothing"},
		{"", "OTEL_EXPORTER_OTLP_ENDPOINT=http://h:4318", "http://h:4318/v1/traces 10s service.name=pflow service.version=v"},
		{"", "OTEL_EXPORTER_OTLP_ENDPOINT=http://h:4318/", "http://h:4318/v1/traces 10s service.name=pflow service.version=v"},
		{"", "OTEL_EXPORTER_OTLP_ENDPOINT=https://h/otel/", "https://h/otel/v1/traces 10s service.name=pflow service.version=v"},
		{"", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://h/mine", "http://h/mine 10s service.name=pflow service.version=v"},
		{"", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://h", "http://h/ 10s service.name=pflow service.version=v"},
		{"", "OTEL_EXPORTER_OTLP_ENDPOINT=http://a OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://b/v1/traces", "http://b/v1/traces 10s service.name=pflow service.version=v"},
		{"http://f:1", "OTEL_EXPORTER_OTLP_ENDPOINT=http://a OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://b/", "http://f:1/v1/traces 10s service.name=pflow service.version=v"},
		{"http://f:1/v1/traces", "", "http://f:1/v1/traces 10s service.name=pflow service.version=v"},
		{"http://f:1/v1/traces/?k=v", "", "http://f:1/v1/traces/?k=v 10s service.name=pflow service.version=v"},
		{"", "OTEL_EXPORTER_OTLP_ENDPOINT=http://h OTEL_SDK_DISABLED=TRUE", "nothing"},
		{"http://h", "OTEL_SDK_DISABLED=true", "error: OTEL_SDK_DISABLED is true, so nothing is sent to --otlp"},
		{"http://h", "OTEL_SDK_DISABLED=false", "http://h/v1/traces 10s service.name=pflow service.version=v"},
		{"", "OTEL_EXPORTER_OTLP_ENDPOINT=http://h OTEL_TRACES_EXPORTER=none", "nothing"},
		{"", "OTEL_EXPORTER_OTLP_ENDPOINT=http://h OTEL_TRACES_EXPORTER=console,otlp", "http://h/v1/traces 10s service.name=pflow service.version=v"},
		{"http://h", "OTEL_TRACES_EXPORTER=none", "http://h/v1/traces 10s service.name=pflow service.version=v"},
		{"", "OTEL_EXPORTER_OTLP_ENDPOINT=http://h:4317 OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "error: OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and pflow speaks http/json: give the address of a collector's HTTP port with --otlp, such as http://localhost:4318"},
		{"", "OTEL_EXPORTER_OTLP_ENDPOINT=http://h OTEL_EXPORTER_OTLP_PROTOCOL=grpc OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf", "http://h/v1/traces 10s service.name=pflow service.version=v"},
		{"http://h", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "http://h/v1/traces 10s service.name=pflow service.version=v"},
		{"", "OTEL_EXPORTER_OTLP_ENDPOINT=h:4318", "error: OTEL_EXPORTER_OTLP_ENDPOINT: want the address of a collector, such as http://localhost:4318"},
		{"", "OTEL_EXPORTER_OTLP_ENDPOINT=http://", "error: OTEL_EXPORTER_OTLP_ENDPOINT: want the address of a collector, such as http://localhost:4318"},
		{"", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://s3cret:%zz@h", "error: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: want the address of a collector, such as http://localhost:4318"},
		{"", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://h/#x", "error: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: the address of a collector has no part after #"},
		{"http://h", "OTEL_EXPORTER_OTLP_TIMEOUT=2500", "http://h/v1/traces 2.5s service.name=pflow service.version=v"},
		{"http://h", "OTEL_EXPORTER_OTLP_TIMEOUT=2500 OTEL_EXPORTER_OTLP_TRACES_TIMEOUT=100", "http://h/v1/traces 100ms service.name=pflow service.version=v"},
		{"http://h", "OTEL_EXPORTER_OTLP_TIMEOUT=soon", `error: OTEL_EXPORTER_OTLP_TIMEOUT: want milliseconds, got "soon"`},
		{"http://h", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip", "http://h/v1/traces 10s gzip service.name=pflow service.version=v"},
		{"http://h", "OTEL_EXPORTER_OTLP_COMPRESSION=zip", `error: OTEL_EXPORTER_OTLP_COMPRESSION: want gzip or none, got "zip"`},
		{"http://h", "OTEL_EXPORTER_OTLP_HEADERS=a=b%20c%2Cd,,x-y=1=2", `http://h/v1/traces 10s [a: b c,d] [x-y: 1=2] service.name=pflow service.version=v`},
		{"http://h", "OTEL_EXPORTER_OTLP_HEADERS=a=b OTEL_EXPORTER_OTLP_TRACES_HEADERS=c=d", `http://h/v1/traces 10s [c: d] service.name=pflow service.version=v`},
		{"http://h", "OTEL_EXPORTER_OTLP_HEADERS=a=b,s3cret", "error: OTEL_EXPORTER_OTLP_HEADERS: item 2: want name=value, separated by commas, a sign such as a comma in a value being written %2C"},
		{"http://h", "OTEL_EXPORTER_OTLP_HEADERS=a=s3cret%0d%0aHost:", "error: OTEL_EXPORTER_OTLP_HEADERS: item 1: want name=value, separated by commas, a sign such as a comma in a value being written %2C"},
		{"http://h", "OTEL_SERVICE_NAME=mine OTEL_RESOURCE_ATTRIBUTES=service.name=theirs,deployment.environment.name=a%2Fb,service.version=9", "http://h/v1/traces 10s service.name=mine service.version=9 deployment.environment.name=a/b"},
		{"http://h", "OTEL_RESOURCE_ATTRIBUTES=service.name=theirs", "http://h/v1/traces 10s service.name=theirs service.version=v"},
		{"http://h", "OTEL_RESOURCE_ATTRIBUTES=x", "error: OTEL_RESOURCE_ATTRIBUTES: item 1: want name=value, separated by commas, a sign such as a comma in a value being written %2C"},
	} {
		environment := map[string]string{}
		for _, v := range strings.Fields(c.environment) {
			name, text, _ := strings.Cut(v, "=")
			environment[name] = text
		}
		got := "nothing"
		switch r, err := read(c.flag, "v", func(name string) string { return environment[name] }); {
		case err != nil:
			got = "error: " + err.Error()
		case r != nil:
			got = fmt.Sprint(r.url, " ", r.timeout)
			if r.gzip {
				got += " gzip"
			}
			for _, h := range r.headers {
				got += fmt.Sprintf(" [%s: %s]", h[0], h[1])
			}
			for _, a := range r.resource {
				got += fmt.Sprintf(" %s=%v", a.key, a.value)
			}
		}
		if got != c.want {
			t.Errorf("%s, %s\ngot  %s\nwant %s", c.flag, c.environment, got, c.want)
		}
	}
}
