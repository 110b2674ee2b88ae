//go:build !race

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"pflow/internal/planner"
)

// nearRequests are requests that somebody approved, each with others: the same wish in other words or for other values, and
// wishes that are near to it and another job. All are of one home, in which all that was approved is saved.
var nearRequests = []struct {
	saved string
	same  []string
	near  []string
}{
	{
		saved: "what is the average of the column price in orders.csv",
		same:  []string{"what's the mean of the price column in orders.csv", "average of the column amount in sales.csv", "compute the average price in orders.csv"},
		near: []string{"what is the median of the column price in orders.csv", "what is the total of the column price in orders.csv",
			"what is the average of the column price in orders.csv for each customer", "what is the highest price in orders.csv",
			"what is the average of the column price in orders.csv, rounded to the next ten"},
	},
	{
		saved: "sort the lines of names.txt and write them to sorted.txt",
		same:  []string{"sort the lines of words.txt and save them to out.txt", "put the lines of names.txt in alphabetical order and write them to sorted.txt"},
		near: []string{"sort the lines of names.txt by length and write them to sorted.txt", "sort the lines of names.txt in reverse and write them to sorted.txt",
			"sort the lines of names.txt and append them to sorted.txt", "reverse the lines of names.txt and write them to sorted.txt",
			"shuffle the lines of names.txt and write them to sorted.txt", "sort the words of names.txt and write them to sorted.txt",
			"sort the lines of names.txt and write them to sorted.txt without the empty ones"},
	},
	{
		saved: "count the lines of names.txt",
		same:  []string{"how many lines are in names.txt", "how many lines does words.txt have"},
		near: []string{"count the words of names.txt", "count the lines of names.txt that contain Ada", "count the empty lines of names.txt",
			"count the distinct lines of names.txt", "count the lines of names.txt and write the number to n.txt", "print the lines of names.txt"},
	},
	{
		saved: "copy names.txt to backup/names.txt",
		same:  []string{"make a copy of words.txt at backup/words.txt", "please copy words.txt to old/words.txt"},
		near: []string{"move names.txt to backup/names.txt", "copy names.txt to backup/names.txt unless it exists", "copy names.txt to backup/names.txt and delete names.txt",
			"append names.txt to backup/names.txt", "compress names.txt to backup/names.zip", "copy all .txt files to backup"},
	},
	{
		saved: "list the .txt files in docs",
		same:  []string{"show me the .txt files in docs", "which .md files are there in notes", "list all .txt files in docs"},
		near: []string{"list the .txt files in docs except draft.txt", "count the .txt files in docs", "list the .txt files in docs that are bigger than 1 MB",
			"list the .txt files in docs newest first", "delete the .txt files in docs", "list the folders in docs", "list the .txt files in docs and its subfolders"},
	},
	{
		saved: "show the last 5 commits",
		same:  []string{"show me the last 10 commits", "what are the latest 5 commits"},
		near: []string{"show the first 5 commits", "show the last 5 commits by Ada", "undo the last 5 commits", "show the files changed in the last 5 commits",
			"show the last 5 commits as a csv table in commits.csv", "show the last 5 commits of the branch release that are not in main"},
	},
	{
		saved: "list the branches",
		same:  []string{"show all branches", "which branches are there"},
		near:  []string{"delete the branches that are merged", "list the remote branches that nobody touched this year", "list the tags", "count the branches", "list the branches that are not merged into main"},
	},
	{
		saved: "read config.json and write the value of server.port to port.txt",
		same:  []string{"read config.json and save the value of server.host to host.txt"},
		near: []string{"set server.port in config.json to 8080", "read config.json and write the keys of server to port.txt", "read config.json and remove server.port",
			"read config.json and append the value of server.port to port.txt", "read config.json and print the value of server.port"},
	},
	{
		saved: "download http://example.com/a.json to a.json",
		same:  []string{"fetch http://example.com/b.json and save it to b.json", "download http://example.org/data.csv to data.csv"},
		near: []string{"download http://example.com/a.json to a.json if it changed since yesterday", "upload a.json to http://example.com/a.json", "post a.json to http://example.com/a.json",
			"download http://example.com/a.json and show its headers", "check whether http://example.com/a.json can be reached"},
	},
	{
		saved: "convert orders.csv to orders.json",
		same:  []string{"turn orders.csv into orders.json", "convert sales.csv to JSON as sales.json", "convert orders.json to orders.csv"},
		near: []string{"convert the first 10 rows of orders.csv to orders.json",
			"convert orders.csv to orders.json, grouped by customer", "convert orders.csv to orders.json without the column price"},
	},
	{
		saved: "replace foo with bar in names.txt",
		same:  []string{"in names.txt replace cat with dog", "change foo to bar in words.txt"},
		near: []string{"replace the first foo with bar in names.txt", "replace foo with bar in all .txt files", "how often does foo occur in names.txt", "remove foo from names.txt lines that begin with bar",
			"replace foo with bar in names.txt and commit it"},
	},
	{
		saved: "show the rows of orders.csv where price is greater than 100",
		same:  []string{"show the rows of orders.csv where price is greater than 50"},
		near: []string{"show the rows of orders.csv where price is less than 100", "count the rows of orders.csv where price is greater than 100",
			"delete the rows of orders.csv where price is greater than 100", "show the rows of orders.csv where price is greater than 100 sorted by customer",
			"show the rows of orders.csv where price is greater than 100 and customer is Ada", "show the rows of orders.csv where price is not greater than 100"},
	},
}

// nearByName are workflows whose steps do not say what they do: only what they are called and what they were approved for does.
var nearByName = []struct {
	name, document string
	same, near     []string
}{
	{
		name: "summarize-notes", document: `{"name": "summarize-notes", "description": "Summarize a text file for a newcomer.", "keywords": [], "examples": ["summarize notes.txt for a newcomer", "give me a summary of notes.txt for a newcomer"],
 "ir": {"ir_version": "0.1.0", "inputs": {"file": {"type": "string", "required": true, "description": "the text file, such as notes.txt"}},
  "nodes": [{"id": "read", "type": "read-file", "params": {"file_path": "${file}"}}, {"id": "ask", "type": "llm", "params": {"prompt": "Summarize: ${read.content}"}}], "edges": [{"from": "read", "to": "ask"}]}}`,
		same: []string{"summarize words.txt for a newcomer", "please summarize notes.txt for a newcomer"},
		near: []string{"translate notes.txt for a newcomer", "summarize notes.txt for a newcomer in French", "summarize notes.txt for a newcomer and mail it to Ada",
			"criticize notes.txt for a newcomer", "summarize notes.txt for a newcomer in three bullet points", "read notes.txt aloud for a newcomer"},
	},
	{
		name: "deploy-staging", document: `{"name": "deploy-staging", "description": "Deploy the site to staging.", "keywords": [], "examples": ["deploy the site to staging", "push the site out to staging"],
 "ir": {"ir_version": "0.1.0", "nodes": [{"id": "ask", "type": "shell", "params": {"command": "./deploy staging"}}], "edges": []}}`,
		same: []string{"deploy the site to staging please", "please deploy the site to staging"},
		near: []string{"deploy the site to production", "deploy the site to staging and tell the team", "roll back the site on staging", "deploy the site to staging unless the tests fail",
			"deploy the docs to staging", "deploy the site to staging every night"},
	},
}

// TestReuseNear saves what was approved and asks for what is near to it. A near miss never runs a saved workflow of the same
// table entry; of the wishes said in other words most are recognized.
func TestReuseNear(t *testing.T) {
	run := newRequestApp(t)
	planned := func(request string) *planner.Result {
		t.Helper()
		_, out, errs := run("plan", "--json", "--date", "2024-05-17", request)
		p := &planner.Result{}
		if err := json.Unmarshal([]byte(out), p); err != nil {
			t.Fatalf("%s: %v\n%s", request, err, errs)
		}
		return p
	}
	names := make([]string, len(nearRequests))
	for i, c := range nearRequests {
		if code, _, errs := run("--save", c.saved); code != 0 {
			t.Errorf("%q is not saved: %s", c.saved, errs)
			continue
		}
		if p := planned(c.saved); p.Path == "reuse" {
			names[i], _ = p.WorkflowName.(string)
		} else {
			t.Errorf("%q does not find itself", c.saved)
		}
	}
	for _, c := range nearByName {
		file := filepath.Join(t.TempDir(), c.name+".json")
		if err := os.WriteFile(file, []byte(c.document), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, errs := run("workflow", "save", file); code != 0 {
			t.Fatal(errs)
		}
	}
	asked, found := 0, 0
	check := func(name string, same, near []string) {
		for _, request := range same {
			asked++
			p := planned(request)
			switch {
			case p.Path == "reuse" && p.WorkflowName == name:
				found++
			case p.Path == "reuse":
				t.Errorf("%q is %v, not %s", request, p.WorkflowName, name)
			default:
				t.Logf("%q: %s is not found for it (%v)", request, name, p.Status)
			}
		}
		for _, request := range near {
			if p := planned(request); p.Path == "reuse" && p.WorkflowName == name {
				t.Errorf("%q is %s, which does something else", request, name)
			}
		}
	}
	for i, c := range nearRequests {
		if names[i] != "" {
			check(names[i], c.same, c.near)
		}
	}
	for _, c := range nearByName {
		check(c.name, c.same, c.near)
	}
	t.Logf("%d of %d wishes in other words find what is saved", found, asked)
	if found*10 < asked*8 {
		t.Errorf("%d of %d wishes in other words find what is saved", found, asked)
	}
}
