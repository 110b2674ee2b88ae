//go:build server

package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/proto"
)

// documents are the workflows of the test.
var documents = map[string]string{
	"greet.json": `{"ir_version": "0.1.0", "inputs": {"name": {"type": "string", "required": true, "description": "Who is greeted"}},
		"nodes": [{"id": "say", "type": "template", "params": {"template": "Hello, ${name}!"}}]}`,
	"publish.json": `{"ir_version": "0.1.0", "nodes": [{"id": "draft", "type": "shell", "params": {"command": "echo a draft"}},
		{"id": "publish", "type": "shell", "approval": "required", "params": {"command": "echo published"}}],
		"edges": [{"from": "draft", "to": "publish"}], "outputs": {"said": {"source": "${publish.stdout}", "type": "string"}}}`,
	"slow.json": `{"ir_version": "0.1.0", "nodes": [{"id": "wait", "type": "shell", "params": {"command": "touch begun; sleep 600"}}]}`,
	"fail.json": `{"ir_version": "0.1.0", "nodes": [{"id": "r", "type": "read-file", "params": {"file_path": "no"}}]}`,
	"secret.json": `{"ir_version": "0.1.0", "inputs": {"token": {"type": "string", "required": true, "secret": true, "from_env": "SHOP_TOKEN"}},
		"nodes": [{"id": "count", "type": "shell", "params": {"command": "printf %s \"$$T\" | wc -c", "env": {"T": "${token}"}}}],
		"outputs": {"n": {"source": "${count.stdout}", "type": "string"}}}`,
	"large.json": `{"ir_version": "0.1.0", "nodes": [{"id": "make", "type": "shell", "params": {"command": "yes readable | head -c 1000000"}},
		{"id": "count", "type": "shell", "params": {"command": "wc -c", "stdin": "${make.stdout}"}}],
		"edges": [{"from": "make", "to": "count"}], "outputs": {"n": {"source": "${count.stdout}", "type": "string"}}}`,
}

// user is somebody with both programs, a home and a worker.
type user struct {
	t      *testing.T
	dir    string
	env    []string
	worker *exec.Cmd
}

func newUser(t *testing.T, env ...string) *user {
	t.Helper()
	if os.Getenv("TEMPORAL_ADDRESS") == "" {
		t.Fatal("TEMPORAL_ADDRESS does not say where the server is: run these tests by make test-temporal")
	}
	u := &user{t: t, dir: t.TempDir()}
	bin := filepath.Join(u.dir, "bin")
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "pflow"), "./cmd/pflow")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(own, filepath.Join(bin, "pflow-temporal")); err != nil {
		t.Fatal(err)
	}
	for name, text := range documents {
		if err := os.WriteFile(filepath.Join(u.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	u.env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "PFLOW_HOME="+filepath.Join(u.dir, "home"),
		fmt.Sprintf("PFLOW_TEMPORAL_QUEUE=user-%d", time.Now().UnixNano()))
	u.env = append(u.env, env...)
	u.work()
	return u
}

// work starts a worker, which alone knows the secret; flags are further ones of it.
func (u *user) work(flags ...string) {
	u.t.Helper()
	u.worker = u.command("pflow-temporal worker " + strings.Join(flags, " "))
	u.worker.Env = append(u.worker.Env, "SHOP_TOKEN=a-secret-token")
	var said bytes.Buffer
	u.worker.Stderr = &said
	if err := u.worker.Start(); err != nil {
		u.t.Fatal(err)
	}
	worker := u.worker
	u.t.Cleanup(func() {
		_ = worker.Process.Signal(os.Interrupt)
		_ = worker.Wait()
		if strings.Contains(said.String(), "a-secret-token") {
			u.t.Error("the worker showed the secret")
		}
	})
}

func (u *user) command(line string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", "exec "+line)
	cmd.Dir, cmd.Env = u.dir, u.env
	return cmd
}

var runPattern = regexp.MustCompile(`\d{8}-\d{6}-[0-9a-f]{8}`)

// run runs a command line that must exit with a status and print what is wanted, in all that it says. It gives the id of the run.
func (u *user) run(status int, line string, want ...string) (id string) {
	u.t.Helper()
	out, err := u.command(line).CombinedOutput()
	got := 0
	if e, ok := err.(*exec.ExitError); ok {
		got = e.ExitCode()
	} else if err != nil {
		u.t.Fatal(err)
	}
	if got != status {
		u.t.Fatalf("%s: status %d, want %d; it said:\n%s", line, got, status, out)
	}
	for _, w := range want {
		if !strings.Contains(string(out), w) {
			u.t.Fatalf("%s: it does not say %q but:\n%s", line, w, out)
		}
	}
	return runPattern.FindString(string(out))
}

// holds runs a command line with --json that must exit with a status, and holds what it prints to a schema of docs/schemas.
func (u *user) holds(schema string, status int, line string) {
	u.t.Helper()
	cmd := u.command(line + " --json")
	out, _ := cmd.Output()
	if got := cmd.ProcessState.ExitCode(); got != status {
		u.t.Fatalf("%s: status %d, want %d", line, got, status)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
	if err != nil {
		u.t.Fatalf("%s: %v\n%s", line, err, out)
	}
	compiled, err := jsonschema.NewCompiler().Compile("../../../docs/schemas/" + schema + ".json")
	if err != nil {
		u.t.Fatal(err)
	}
	if err := compiled.Validate(v); err != nil {
		u.t.Errorf("%s: %v\n%s", line, err, out)
	}
}

// await waits until a file of the test is there.
func (u *user) await(name string) {
	u.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(u.dir, name)); err == nil {
			return
		}
	}
	u.t.Fatalf("%s does not come", name)
}

// TestServerCommands is what a user does with both programs.
func TestServerCommands(t *testing.T) {
	u := newUser(t)
	u.run(0, "pflow run ./greet.json name=Ada --on temporal", "Hello, Ada!")
	u.run(0, "pflow-temporal run ./greet.json name=Ada --json", `"schema": "pflow.run/v1"`, `"status": "done"`)
	u.run(1, "pflow run ./fail.json --on temporal", `cannot read "no"`, "[not_found]")
	u.run(0, "pflow run ./secret.json --on temporal", "14")

	id := u.run(4, "pflow run ./publish.json --on temporal", "the run waits for the approval of publish")
	u.run(0, "pflow-temporal show "+id, "waiting", "approve publish")
	u.holds("temporal-run", 4, "pflow-temporal resume "+id)
	u.holds("temporal-run", 0, "pflow-temporal show "+id)
	u.holds("temporal-runs", 0, "pflow-temporal show")
	u.run(0, "pflow-temporal show", id, "waiting")
	u.run(2, "pflow-temporal resume "+id+" --retry", "the run does not wait for a decision; it waits for: approve publish")
	u.run(0, "pflow-temporal resume "+id+" --approve publish", "published")
	u.run(0, "pflow-temporal show "+id, "done", "published")
	u.run(2, "pflow-temporal resume "+id+" --yes", "is over")
	u.holds("temporal-run", 0, "pflow-temporal show "+id)
	u.holds("temporal-begun", 0, "pflow-temporal run ./greet.json name=Ada --detach")
	u.run(0, "pflow run ./publish.json --on temporal --yes", "published")

	id = u.run(3, "pflow run ./greet.json --on temporal", "name (string): Who is greeted")
	u.run(2, "pflow-temporal resume "+id+" --input nam=Eve", "the run waits for name")
	u.run(0, "pflow-temporal resume "+id+" --input name=Eve", "Hello, Eve!")

	id = u.run(0, "pflow-temporal run ./slow.json --detach")
	u.await("begun")
	u.run(0, "pflow-temporal cancel "+id, "cancelled")
	u.run(2, "pflow-temporal cancel "+id, "is over")

	name := fmt.Sprintf("test-%d", time.Now().UnixNano())
	u.run(0, "pflow-temporal schedule add ./publish.json --every 1h --yes --name "+name, "publish runs every hour")
	u.run(2, "pflow-temporal schedule add ./publish.json --every 1h --yes --name "+name, "there is a schedule")
	u.holds("temporal-schedules", 0, "pflow-temporal schedule list")
	u.run(0, "pflow-temporal schedule pause "+name)
	u.run(0, "pflow-temporal schedule resume "+name)
	u.run(0, "pflow-temporal schedule remove "+name)
	u.run(2, "pflow-temporal schedule remove "+name, "there is no schedule")
	u.run(2, "pflow-temporal show nope", `there is no run "nope"`)
}

// TestServerPlaces: steps that want a shell are carried out by the worker of their queue, and by no other.
func TestServerPlaces(t *testing.T) {
	u := newUser(t, "PFLOW_TEMPORAL_PLACES=shell=shells")
	u.run(0, "pflow run ./greet.json name=Ada --on temporal", "Hello, Ada!")
	id := u.run(0, "pflow-temporal run ./publish.json --yes --detach")
	u.run(0, "pflow-temporal show "+id, "running", "draft")
	u.work("--steps", "--queue", "shells")
	u.run(0, "pflow-temporal resume "+id, "published")
}

// TestServerDecision asks what becomes of a step whose worker was killed while it was under way.
func TestServerDecision(t *testing.T) {
	u := newUser(t)
	id := u.run(0, "pflow-temporal run ./slow.json --detach")
	u.await("begun")
	if err := u.worker.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	u.work()
	u.run(4, "pflow-temporal resume "+id, "was under way when its worker was lost", "--give-up")
	u.run(1, "pflow-temporal resume "+id+" --give-up", "it was decided not to run it again")
}

// TestServerPayloads looks at what a history holds: large values by reference, and with a key nothing that can be read.
func TestServerPayloads(t *testing.T) {
	u := newUser(t, "PFLOW_TEMPORAL_KEYS=RUN_KEY", "RUN_KEY="+strings.Repeat("7f", 32))
	id := u.run(0, "pflow run ./large.json --on temporal", "1000000")
	u.run(0, "pflow-temporal show", "large")
	failed := u.run(1, "pflow run ./fail.json --on temporal", `cannot read "no"`)
	stored, err := filepath.Glob(filepath.Join(u.dir, "home", "temporal", "payloads", "*", "*"))
	if err != nil || len(stored) == 0 {
		t.Fatalf("nothing is stored: %v", err)
	}
	for _, file := range stored {
		if data, err := os.ReadFile(file); err != nil || bytes.Contains(data, []byte("readable")) {
			t.Errorf("%s can be read: %v", file, err)
		}
	}
	for _, id := range []string{id, failed} {
		if words, largest := held(t, id); len(words) > 0 || largest > 400<<10 {
			t.Errorf("the history of %s holds %q, and an event of %d bytes", id, words, largest)
		}
	}
	plain := newUser(t).run(1, "pflow run ./fail.json --on temporal", `cannot read "no"`)
	if words, _ := held(t, plain); len(words) < 3 {
		t.Errorf("without a key, its history holds only %q: what is looked for is not what is there", words)
	}
}

// held gives the words of the documents and their results that a history holds, and the size of its largest event.
func held(t *testing.T, id string) (words []string, largest int) {
	t.Helper()
	c, err := client.Dial(client.Options{HostPort: os.Getenv("TEMPORAL_ADDRESS"), Logger: silent{}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var all strings.Builder
	for it := c.GetWorkflowHistory(context.Background(), id, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); it.HasNext(); {
		ev, err := it.Next()
		if err != nil {
			t.Fatal(err)
		}
		text := ev.String()
		// documents are bytes in JSON, which has them in base64
		for _, field := range regexp.MustCompile(`[A-Za-z0-9+/]{40,}`).FindAllString(text, -1) {
			plain, _ := base64.StdEncoding.DecodeString(field[:len(field)/4*4])
			all.Write(plain)
		}
		all.WriteString(text)
		largest = max(largest, proto.Size(ev))
	}
	for _, word := range []string{"readable", "ir_version", "cannot read", "read-file", "wc -c", "fail.json"} {
		if strings.Contains(all.String(), word) {
			words = append(words, word)
		}
	}
	return words, largest
}
