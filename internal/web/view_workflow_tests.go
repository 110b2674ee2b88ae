package web

import (
	"encoding/json"
	"net/http"
	"net/url"
)

// testsView are the tests of a workflow, and what came of running them.
type testsView struct {
	*workflowShown
	Job     string // that runs them, "" if none does
	Result  *testResult
	Failure string // why they could not be run
	Last    []runRow
}

// testResult is what tests came to: what flow test --json and workflow test --json say.
type testResult struct {
	Passed, Failed int
	Files          []struct {
		File  string
		Tests []struct {
			Name   string
			Pass   bool
			Faults []string
			Fakes  []string // of a workflow: the steps whose outputs were made up
		}
	}
}

func (s *Server) showTests(r *http.Request) (view, error) {
	w, err := s.workflow(r)
	if err != nil {
		return view{}, err
	}
	data := &testsView{workflowShown: w}
	v := view{Template: "workflow_tests", Title: w.Ref + ": tests", Section: "library", Data: data}
	got, err := s.runs(r.Context(), Params{"workflow": w.Name, "limit": lastRuns})
	if err != nil {
		return view{}, err
	}
	data.Last = got.Runs
	id := r.URL.Query().Get("job")
	if id == "" {
		return v, nil
	}
	j := s.jobs.get(id)
	if j == nil || j.Endpoint != "testWorkflow" {
		data.Failure = "What came of it is not remembered any more; run the tests again."
		return v, nil
	}
	res := j.Result()
	switch {
	case res == nil:
		data.Job, v.Events = j.ID, j.Events()
	case len(res.Stdout) == 0:
		data.Failure = res.failure().Message
	default:
		data.Result = &testResult{}
		if err := json.Unmarshal(res.Stdout, data.Result); err != nil {
			return view{}, err
		}
	}
	return v, nil
}

func (s *Server) testWorkflow(r *http.Request) (string, *view, error) {
	name := r.PathValue("name")
	given := Params{"name": name}
	if r.PostFormValue("fake") == "yes" {
		given["fake"] = true
	}
	j, err := s.Begin("testWorkflow", given)
	if err != nil {
		return "", nil, err
	}
	return "/library/" + url.PathEscape(name) + "/tests?job=" + url.QueryEscape(j.ID), nil, nil
}

func (s *Server) writeTest(r *http.Request) (string, *view, error) {
	name := r.PathValue("name")
	given := Params{"name": name, "run": r.PostFormValue("run")}
	if given["run"] == "" {
		return "", nil, &Error{Status: http.StatusBadRequest, Message: "no run is chosen", Do: "choose the run that the test is made of"}
	}
	if r.PostFormValue("replace") == "yes" {
		given["replace"] = true
	}
	err := s.Call(r.Context(), "writeWorkflowTest", given, nil)
	return "/library/" + url.PathEscape(name) + "/tests", nil, err
}
