package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what tests got as what they want")

// raceOptions keeps a program built for the race detector from sleeping for a second when it ends.
const raceOptions = "atexit_sleep_ms=10"

// TestMain makes this program, and mask, commands of the scripts.
func TestMain(m *testing.M) {
	os.Setenv("GORACE", raceOptions)
	for _, v := range os.Environ() { // nobody's model is called; a program that a test started has what the test gave it
		if filepath.Base(os.Args[0]) == "pflow" || os.Getenv("RUN_LLM_TESTS") != "" {
			break
		}
		if name, _, _ := strings.Cut(v, "="); strings.HasSuffix(name, "_API_KEY") || strings.HasSuffix(name, "_BASE_URL") {
			os.Unsetenv(name)
		}
	}
	testscript.Main(m, map[string]func(){"pflow": main, "mask": maskCommand, "mcp-server": mcpServerCommand})
}

// TestScripts runs testdata/script/*.txtar, one behaviour each. Every script starts in an empty directory but for its
// own files, with an empty home. Beside testscript's own commands there are:
//
//	exits STATUS COMMAND…   runs a command that must exit with that status
//	await FILE PATTERN      waits until a file, named by a glob, holds a match
//	run-id VAR              sets VAR to the id of the newest run in the home
//	llm-server SCRIPT.yaml  starts a scripted model server as the endpoint of openai; the script fails if at its end
//	                        replies are left, requests had none, or a file or what exits ran shows the key
//	github-server REPOS.json  starts a server of GitHub's API with these repositories (internal/githubtest) and a token for it;
//	                        the script fails if a file or what exits ran shows the token
//	github-sent FILE        writes what was asked of it so far into a file
//	llm-sent FILE           writes what the server was sent so far into a file
//	collector [refuses]     starts an OpenTelemetry collector and sets COLLECTOR to its address; the script fails if what it was
//	                        sent is not as the protocol has it
//	collector-got FILE      writes the spans that it was sent so far into a file, and the bodies into FILE.json
//
// and the programs mask, a filter that puts RUN, TIME and 0 for what differs between equal runs, and mcp-server. The condition race holds where
// tests are built for the race detector: a script in which one goroutine after the other has the work begins with
// "[race] skip", and make sequential runs it.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, ".home"))
			e.Setenv("PFLOW_HOME", "")
			e.Setenv("GORACE", raceOptions)
			watchServers(e)
			watchHubs(e)
			watchCollectors(e)
			return os.Mkdir(filepath.Join(e.WorkDir, ".home"), 0o700)
		},
		Condition: func(name string) (bool, error) {
			if name != "race" {
				return false, fmt.Errorf("there is no condition %q", name)
			}
			return raced(), nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "await": await, "run-id": runID, "llm-server": llmServer, "llm-sent": llmSent,
			"github-server": githubServer, "github-sent": githubSent,
			"collector": startCollector, "collector-got": collectorGot,
		},
	})
}

// raced reports whether this program was built for the race detector.
func raced() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var e *exec.ExitError
		if !errors.As(err, &e) {
			ts.Fatalf("%v", err)
		}
		got = e.ExitCode()
	}
	keepsSecrets(ts)
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await FILE PATTERN")
	}
	pattern, err := regexp.Compile(args[1])
	ts.Check(err)
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		files, err := filepath.Glob(ts.MkAbs(args[0]))
		ts.Check(err)
		for _, file := range files {
			if data, _ := os.ReadFile(file); pattern.Match(data) {
				return
			}
		}
	}
	ts.Fatalf("%s: no match for %s", args[0], args[1])
}

func runID(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: run-id VAR")
	}
	runs, err := filepath.Glob(filepath.Join(ts.Getenv("HOME"), ".pflow", "runs", "*"))
	ts.Check(err)
	if len(runs) == 0 {
		ts.Fatalf("there are no runs")
	}
	begun := func(run string) time.Time { // ids of one second sort by chance
		info, err := os.Stat(filepath.Join(run, "documents.json"))
		ts.Check(err)
		return info.ModTime()
	}
	newest := slices.MaxFunc(runs, func(a, b string) int { return begun(a).Compare(begun(b)) })
	ts.Setenv(args[0], filepath.Base(newest))
}

// masks are what differs between equal runs, and what stands for it.
var masks = []struct {
	what *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`\d{8}-\d{6}-[0-9a-f]{8}`), "RUN"},
	{regexp.MustCompile(`(experiment [A-Za-z0-9_-]+)-[0-9a-f]{8}\b`), "${1}-ID"},
	{regexp.MustCompile(`"started_at": "[^"]*"`), `"started_at": "TIME"`},
	{regexp.MustCompile(`"duration_ms": [0-9.e-]+`), `"duration_ms": 0`},
	{regexp.MustCompile(`\([0-9.]+ ?ms`), "(0 ms"},
	{regexp.MustCompile(`"hash": "[0-9a-f]{64}"`), `"hash": "HASH"`},
}

func masked(text []byte) []byte {
	for _, m := range masks {
		text = m.what.ReplaceAll(text, []byte(m.by))
	}
	return text
}

func maskCommand() {
	var b bytes.Buffer
	if _, err := b.ReadFrom(os.Stdin); err != nil {
		panic(err)
	}
	os.Stdout.Write(masked(b.Bytes()))
}
