package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/experiment"
	"pflow/internal/outcome"
)

// keptCasesSchema names the shape of `pflow experiment cases --json` without --from-runs.
const keptCasesSchema = "pflow.cases/v1"

// inHomeCases begins the name of cases that are kept in the home: home:NAME, and home:NAME/later.
const inHomeCases = "home:"

// keptCases is a file of cases in the home.
type keptCases struct {
	Name  string `json:"name"` // as --cases takes it
	File  string `json:"file"`
	Cases int    `json:"cases"` // lines that are not empty
}

// casesFolder is where the home keeps cases: a folder of each that was made of runs, and files NAME.jsonl.
func (a *app) casesFolder() (string, error) {
	if err := a.needsHome(); err != nil {
		return "", err
	}
	return a.home().Path("cases"), nil
}

// listCases lists the cases of the home.
func (a *app) listCases() error {
	dir, err := a.casesFolder()
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return usage("%s", fileError(err))
	}
	list := []keptCases{}
	for _, e := range entries {
		name, isFile := strings.CutSuffix(e.Name(), ".jsonl")
		names := []string{name}
		if !isFile && e.IsDir() {
			names = []string{name, name + "/later"}
		}
		for _, name := range names {
			file, _, err := a.keptCasesFile(inHomeCases + name)
			if err != nil {
				continue
			}
			data, err := os.ReadFile(file)
			if err != nil {
				return usage("%s", fileError(err))
			}
			lines := slices.DeleteFunc(bytes.Split(data, []byte("\n")), func(l []byte) bool { return len(bytes.TrimSpace(l)) == 0 })
			if len(lines) > 0 {
				list = append(list, keptCases{inHomeCases + name, file, len(lines)})
			}
		}
	}
	if a.asJSON {
		return a.printJSON(map[string]any{"schema": keptCasesSchema, "cases": list})
	}
	if len(list) == 0 && !a.quiet {
		fmt.Fprintf(a.stderr, "there are no cases in %s; pflow experiment cases --from-runs --keep NAME makes some of the requests that were approved\n", dir)
	}
	for _, c := range list {
		fmt.Fprintf(a.stdout, "%s  %s  %s\n", c.Name, count(c.Cases, "case"), c.File)
	}
	return nil
}

// keptCasesFile is the file of cases that home:NAME or home:NAME/later stands for, and the document beside it, if there is one.
func (a *app) keptCasesFile(text string) (file, document string, err error) {
	name, later := strings.CutSuffix(strings.TrimPrefix(text, inHomeCases), "/later")
	dir, err := a.casesFolder()
	if err != nil {
		return "", "", err
	}
	if !keptName.MatchString(name) {
		return "", "", ofFlag("cases", text, "want home:NAME, or home:NAME/later, with a NAME of letters, digits, hyphens and underscores")
	}
	document = filepath.Join(dir, name, casesDocument)
	file = filepath.Join(dir, name, casesFile)
	if later {
		file = filepath.Join(dir, name, laterFile)
	}
	if isRegular(file) && isRegular(document) {
		return file, document, nil
	}
	if file = filepath.Join(dir, name+".jsonl"); !later && isRegular(file) {
		return file, "", nil
	}
	return "", "", outcome.Advise(ofFlag("cases", text, "the home has no such cases"), "; pflow experiment cases lists them")
}

func isRegular(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}

// keptCasesSpec is the experiment of variants on cases of the home: as the document beside them says, if there is one. f then
// names the file.
func (a *app) keptCasesSpec(name string, variants []experiment.Variant, f *experimentFlags) (*experiment.Spec, error) {
	file, document, err := a.keptCasesFile(f.cases)
	if err != nil {
		return nil, err
	}
	f.cases = file
	if document == "" {
		return experiment.OfVariants(name, variants), nil
	}
	data, err := readRegular(document)
	if err != nil {
		return nil, err
	}
	spec, found := experiment.ReadSpec(document, data)
	if spec == nil {
		return nil, &diag.Err{List: found}
	}
	spec.Name, spec.Variants = name, experiment.OfVariants(name, variants).Variants
	return spec, nil
}
