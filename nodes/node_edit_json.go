package nodes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/jsonedit"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// editJSON changes values of a JSON file.
func editJSON() nodetype.Type {
	valued := func(key, description string) ir.Port {
		return ir.Port{Key: key, Type: value.Array, Structure: tableRows, Description: description}
	}
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "edit-json",
			Description: "Changes a JSON file where it is: sets, adds, renames or removes keys, adds to lists; the order of the keys and the layout stay.",
			Inputs: []ir.Port{
				{Key: "file_path", Type: value.String, Required: true, Description: "The file to change, such as config.json."},
			},
			Params: []ir.Port{
				valued("set", "What to give values, such as [{path: server.port, value: 9090}]; a key that lacks is added. Of path: where the value stands, as text or as a list of keys and places ([users, 0, name])."),
				valued("change", "The same, of what has to be there; with was only if it has that value: [{path: port, was: 8080, value: 9090}]."),
				valued("add", "The same, of what must not be there."),
				valued("rename", "Keys to rename, such as [{path: server.prot, name: port}]."),
				valued("append", "What to add to the ends of lists, such as [{path: users, value: Ann}]; without path the document is the list. An object is added to another one with its keys, which must not be there."),
				{Key: "merge", Type: value.Any, Description: "An object whose keys are put into the document, in the place of those that are there; or, where the document is a list, a list that is added to it."},
				{Key: "remove", Type: value.Array, Description: "The paths of what to remove, with its key."},
				{Key: "remove_of_each", Type: value.Array, Structure: listOfText, Description: "The keys to remove of each entry of the list that the document is."},
				{Key: "dest_path", Type: value.String, Description: "The file to write instead, of which file_path stays as it is; folders on the way are made."},
				{Key: "overwrite", Type: value.Boolean, Default: false, Description: "Change or replace a file that is there. Otherwise only one that this workflow wrote, and nobody changed since; any other is an error."},
			},
			Outputs: []ir.Port{
				{Key: "file_path", Type: value.String, Description: "The file that was written, as it was given."},
				{Key: "text", Type: value.String, Detail: true, Description: "The document as it is now."},
			},
			Effects: []ir.Effect{ir.Reads, ir.Writes},
		},
		From:    []string{"file_path"},
		Check:   checkEditJSON,
		Foresee: foreseeEditJSON,
		Run:     runEditJSON,
		Example: nodetype.Example{
			Files: map[string]string{"config.json": "{\n  \"server\": {\"port\": 8080},\n  \"users\": [\"Ann\"]\n}\n"},
			Params: map[string]any{"file_path": "config.json", "overwrite": true, "set": []any{map[string]any{"path": "server.port", "value": 9090}, map[string]any{"path": "debug", "value": true}},
				"append": []any{map[string]any{"path": "users", "value": "Bob"}}},
			Outputs: map[string]any{"file_path": "config.json", "text": "{\n  \"server\": {\"port\": 9090},\n  \"users\": [\"Ann\", \"Bob\"],\n  \"debug\": true\n}\n"},
			Want:    map[string]string{"config.json": "{\n  \"server\": {\"port\": 9090},\n  \"users\": [\"Ann\", \"Bob\"],\n  \"debug\": true\n}\n"},
		},
	}
}

// jsonChange is one change of a document; says tells it to whoever is to approve it.
type jsonChange struct {
	says string
	do   func(doc []byte) ([]byte, error)
}

// jsonChanges reads the changes of params, in the order in which they are made. Templates are not values yet: check tells
// that only what is certain is to be refused.
func jsonChanges(params map[string]any, check bool) ([]jsonChange, error) {
	var out []jsonChange
	entries := func(key, second string, required bool, each func(at string, path jsonedit.Path, v any) jsonChange) error {
		list, isList := params[key].([]any)
		if params[key] != nil && !isList {
			if check {
				return nil
			}
			return fault.New(fault.InvalidRequest, "%s is %s; give a list", key, value.Describe(params[key]))
		}
		for i, item := range list {
			at := fmt.Sprintf("%s[%d]", key, i)
			m, _ := item.(map[string]any)
			v, there := m[second]
			for k := range m {
				if k != "path" && k != second && !(k == "was" && key == "change") {
					return fault.New(fault.InvalidRequest, "%s has %s; its keys are path and %s", at, value.JSON(k), second)
				}
			}
			if !there || required && m["path"] == nil {
				return fault.New(fault.InvalidRequest, "%s is %s; give an object with path and %s", at, value.Describe(item), second)
			}
			if check && len(checkJSONPath(at, m["path"])) == 0 {
				continue
			}
			path, err := jsonPath(at+".path", m["path"])
			if err != nil {
				return err
			}
			change := each(at, path, v)
			if was, there := m["was"]; there {
				change = expecting(change, path, was)
			}
			out = append(out, change)
		}
		return nil
	}
	for _, of := range []struct {
		key  string
		mode jsonedit.Mode
	}{{"change", jsonedit.Change}, {"set", jsonedit.Put}, {"add", jsonedit.Add}} {
		err := entries(of.key, "value", true, func(_ string, path jsonedit.Path, v any) jsonChange {
			return jsonChange{path.String() + " = " + value.JSON(v), func(doc []byte) ([]byte, error) { return jsonedit.Set(doc, path, v, of.mode) }}
		})
		if err != nil {
			return nil, err
		}
	}
	err := entries("rename", "name", true, func(at string, path jsonedit.Path, v any) jsonChange {
		return jsonChange{path.String() + " is called " + value.JSON(v), func(doc []byte) ([]byte, error) {
			name, ok := v.(string)
			if !ok {
				return nil, fault.New(fault.InvalidRequest, "%s.name is %s; give a text", at, value.Describe(v))
			}
			return jsonedit.Rename(doc, path, name)
		}}
	})
	if err == nil {
		err = entries("append", "value", false, func(_ string, path jsonedit.Path, v any) jsonChange {
			return jsonChange{"adds " + value.JSON(v) + " to " + path.String(), func(doc []byte) ([]byte, error) { return jsonedit.Append(doc, path, v) }}
		})
	}
	if err != nil || check {
		return nil, err
	}
	if v := params["merge"]; v != nil {
		out = append(out, jsonChange{"puts in " + value.JSON(v), func(doc []byte) ([]byte, error) { return jsonedit.Merge(doc, v) }})
	}
	remove, _ := params["remove"].([]any)
	for i, item := range remove {
		path, err := jsonPath(fmt.Sprintf("remove[%d]", i), item)
		if err != nil {
			return nil, err
		}
		out = append(out, jsonChange{"removes " + path.String(), func(doc []byte) ([]byte, error) { return jsonedit.Remove(doc, path) }})
	}
	each, _ := params["remove_of_each"].([]any)
	for _, key := range each {
		out = append(out, jsonChange{"removes " + value.JSON(key) + " of each entry", func(doc []byte) ([]byte, error) {
			got, _, err := jsonedit.RemoveOfEach(doc, nil, ir.Text(key))
			return got, err
		}})
	}
	if len(out) == 0 {
		return nil, fault.New(fault.InvalidRequest, "nothing is to be changed; give set, change, add, rename, append, merge, remove or remove_of_each")
	}
	return out, nil
}

// expecting makes a change only where there is what is expected.
func expecting(change jsonChange, path jsonedit.Path, was any) jsonChange {
	return jsonChange{change.says, func(doc []byte) ([]byte, error) {
		v, _, err := jsonedit.Read(doc, path)
		if err != nil {
			return nil, err
		}
		if value.JSON(v) != value.JSON(was) {
			return nil, fault.New(fault.InvalidRequest, "%s is %s and not %s, so it is not changed", path, value.JSON(v), value.JSON(was))
		}
		return change.do(doc)
	}}
}

func checkEditJSON(params map[string]any) []ir.Problem {
	if _, err := jsonChanges(params, true); err != nil {
		return []ir.Problem{{Message: fault.Of(err).Message}}
	}
	return nil
}

// editedJSON is the document of file_path after the changes.
func editedJSON(c nodetype.Call) (doc []byte, says []string, err error) {
	given := c.Text("file_path")
	path, err := c.Path("file_path")
	if err != nil {
		return nil, nil, err
	}
	changes, err := jsonChanges(c.Params, false)
	if err != nil {
		return nil, nil, err
	}
	if doc, err = jsonFile(path, given); err != nil {
		return nil, nil, err
	}
	for _, change := range changes {
		if doc, err = change.do(doc); err != nil {
			return nil, nil, inDocument(given, err)
		}
		says = append(says, given+": "+change.says)
	}
	return doc, says, nil
}

func runEditJSON(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
	key := "file_path"
	if c.Params["dest_path"] != nil {
		key = "dest_path"
	}
	given := c.Text(key)
	doing := "write " + quote(given)
	path, err := c.Path(key)
	if err != nil {
		return nodetype.Outcome{}, err
	}
	path, old, err := target(path, doing, "give the path of a file in it")
	if err != nil {
		return nodetype.Outcome{}, err
	}
	doc, _, err := editedJSON(c)
	if err != nil {
		return nodetype.Outcome{}, err
	}
	var mode fs.FileMode
	if old != nil {
		mode = old.Mode()
	}
	err = place(ctx, c, path, mode, c.Flag("overwrite"), func(f *os.File) error {
		_, err := f.Write(doc)
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		if key == "file_path" {
			return nodetype.Outcome{}, inPlaceFault("change "+quote(given), given)
		}
		return nodetype.Outcome{}, existsFault(doing, given, c.Flag("overwrite"))
	}
	return nodetype.Outcome{Outputs: map[string]any{"file_path": given, "text": string(doc)}}, fileFault(doing, err)
}

// foreseeEditJSON names the file that would change, and what would in it.
func foreseeEditJSON(c nodetype.Call, pending []string) (seen nodetype.Foreseen) {
	if c.Params["dest_path"] != nil || isPending(pending, "dest_path") {
		return foreseeFile(c, pending, "dest_path")
	}
	seen = foreseeFile(c, pending, "file_path")
	if seen.Destroys == "" || isPending(pending, "file_path") {
		return seen
	}
	seen.Destroys = "it changes " + c.Text("file_path")
	if slices.ContainsFunc(pending, func(key string) bool { return !strings.HasPrefix(key, "overwrite") }) {
		return seen
	}
	_, says, err := editedJSON(c)
	if err != nil {
		return nodetype.Foreseen{} // it fails before it changes anything
	}
	seen.Changes = says
	return seen
}
