package experiment_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pflow/internal/experiment"
	"pflow/internal/fault"
	"pflow/nodes"
)

// childDir tells the test binary that it is the process to be killed.
const childDir = "PFLOW_TEST_CHILD_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := child(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child begins the experiment of a folder, or goes on with it if there is one.
func child(dir string) error {
	o := surroundings(&testing.T{}, nodes.Deps{})
	store, err := experiment.OpenStore(filepath.Join(dir, "exp"))
	var x *experiment.Experiment
	switch {
	case err == nil:
		x, err = experiment.Resume(store, o)
	case fault.Of(err).Kind == fault.NotFound:
		spec, found := experiment.ReadSpec(filepath.Join(dir, "x.yaml"), []byte("experiment: killed\ncases: cases.jsonl\nconcurrency: 2\nrepeats: 2\nallow_equal: true\nvariants: [{flow: planner-offline}, {name: b, flow: planner-offline}]\n"))
		if spec == nil {
			return errors.New(found.Text())
		}
		if store, err = experiment.CreateStore(filepath.Join(dir, "exp")); err == nil {
			x, err = experiment.Create(store, spec, o)
		}
	}
	if err != nil {
		return err
	}
	defer store.Close()
	_, err = x.Run(context.Background(), false)
	return err
}

// rowsOf gives every row there is, as it was written.
func rowsOf(t testing.TB, dir string) map[experiment.Key]string {
	t.Helper()
	store, err := experiment.ReadStore(filepath.Join(dir, "exp"))
	if err != nil {
		return nil // killed while it was made
	}
	defer store.Close()
	rows, err := store.Plans()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// folderOf makes the folder of an experiment for child.
func folderOf(t testing.TB, cases int) string {
	t.Helper()
	dir := t.TempDir()
	var text strings.Builder
	for i := range cases {
		fmt.Fprintf(&text, `{"id": "c%d", "request": "copy file-%d.txt to backup/file-%d.txt", "expect": {"nodes": ["copy-file"]}}`+"\n", i, i, i)
	}
	write(t, filepath.Join(dir, "cases.jsonl"), text.String())
	return dir
}

// startChild starts a process that begins the experiment of a folder, or goes on with it.
func startChild(t testing.TB, dir string) (*exec.Cmd, <-chan error) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childDir+"="+dir)
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	return c, ended
}

// kills is how many processes a test kills: a sample, or, by PFLOW_TORTURE, the full number.
func kills(sample, full int) int {
	if os.Getenv("PFLOW_TORTURE") != "" {
		return full
	}
	return sample
}

// TestKillAtTheStart kills processes while they make an experiment: each of these experiments then runs to its end.
func TestKillAtTheStart(t *testing.T) {
	dir := folderOf(t, 2)
	began := time.Now()
	if _, ended := startChild(t, dir); <-ended != nil {
		t.Fatal("the child fails")
	}
	whole := time.Since(began)
	n, early := kills(10, 60), 0
	for i := range n {
		dir := folderOf(t, 2)
		c, ended := startChild(t, dir)
		after := time.AfterFunc(whole*time.Duration(i)/time.Duration(n), func() { c.Process.Kill() })
		<-ended
		after.Stop()
		if len(rowsOf(t, dir)) == 0 {
			early++
		}
		if _, ended := startChild(t, dir); <-ended != nil {
			t.Fatalf("kill %d of %d: the experiment cannot go on", i+1, n)
		}
		if rows := rowsOf(t, dir); len(rows) != 8 {
			t.Fatalf("kill %d of %d: %d rows, want 8", i+1, n, len(rows))
		}
	}
	if early == 0 {
		t.Error("no kill fell before the first row")
	}
	t.Logf("%d kills, %d of them before the first row", n, early)
}

// TestKill kills the processes that run experiments, again and again, at any moment. What was written once stays as it
// was, and in the end there is every row once.
func TestKill(t *testing.T) {
	n, inside, whole := 0, 0, 0
	for ; n < kills(1, 200); whole++ {
		killed, within := killUntilDone(t, 60)
		n, inside = n+killed, inside+within
	}
	if inside == 0 {
		t.Error("no kill fell into a run")
	}
	t.Logf("%d kills over %d experiments, %d of them between the first row and the last; all finished", n, whole, inside)
}

// killUntilDone runs one experiment to its end. It gives how many processes it killed, and how many of them had made some
// of the rows.
func killUntilDone(t *testing.T, cases int) (killed, inside int) {
	t.Helper()
	dir := folderOf(t, cases)
	seen := map[experiment.Key]string{}
	for attempt := 0; ; attempt++ {
		if attempt > 200 {
			t.Fatal("the experiment never comes to an end")
		}
		c, ended := startChild(t, dir)
		var err error
		for running := true; running; {
			select {
			case <-time.After(time.Duration(1+attempt%7) * 3 * time.Millisecond):
				// The first few die while the store is made, the others once they have made some rows.
				if attempt < 4 || len(rowsOf(t, dir)) > len(seen)+attempt*7%23 {
					c.Process.Signal(syscall.SIGKILL)
					err, running = <-ended, false
				}
			case err = <-ended:
				running = false
			}
		}
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.Exited() {
			t.Fatalf("the child fails: %v", err)
		}
		rows := rowsOf(t, dir)
		for k, plan := range seen {
			if rows[k] != plan {
				t.Fatalf("row %+v was lost or made again", k)
			}
		}
		seen = rows
		if err == nil {
			break
		}
		killed++
		if n := len(rows); n > 0 && n < cases*4 {
			inside++
		}
	}
	if len(seen) != cases*4 {
		t.Fatalf("%d rows, want %d", len(seen), cases*4)
	}
	return killed, inside
}
