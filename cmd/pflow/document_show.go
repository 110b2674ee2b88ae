package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"pflow/engine"
)

// shownText is the text of a flow, a prompt or a schema as it lies somewhere, whatever is wrong with it.
type shownText struct {
	Schema  string   `json:"schema"`
	Kind    string   `json:"kind"` // flow, prompt, schema
	Name    string   `json:"name"`
	Place   string   `json:"place"`   // in a home: flows/NAME.yaml
	File    string   `json:"file"`    // where it was found
	Hash    string   `json:"hash"`    // of the text, for --if
	Own     bool     `json:"own"`     // it lies in the home
	Shipped bool     `json:"shipped"` // pflow brings one of this name along
	Same    bool     `json:"same"`    // and it is this text
	UsedBy  []string `json:"used_by"` // the flows that use it, itself left out
	Text    string   `json:"text"`
}

// textHash is what --if compares: two texts of one hash are one text.
func textHash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// noText is the hash of a text that is not there.
const noText = "none"

// printText prints the text of a document.
func (a *app) printText(doc engine.Document) error {
	if !a.asJSON {
		_, err := a.results.Write(doc.Data)
		return err
	}
	out := shownText{Schema: "pflow.text/v1", Kind: string(doc.Kind), Name: doc.Name, Place: doc.HomePath(), File: doc.Path, Hash: textHash(doc.Data), UsedBy: []string{}, Text: string(doc.Data)}
	shipped, found, err := a.shippedText(doc)
	if err != nil {
		return fail(exitFailed, "%v", err)
	}
	place := a.home().Path(doc.HomePath())
	out.Own, out.Shipped, out.Same = doc.Path == place, found, found && string(shipped) == string(doc.Data)
	for _, u := range a.users(a.resources(), place) {
		if doc.Kind != engine.FlowDocument || u.name != doc.Name {
			out.UsedBy = append(out.UsedBy, u.name)
		}
	}
	return a.printJSON(out)
}

// findText finds a prompt or a schema of a name; shipped:NAME is the one that pflow brings along.
func (a *app) findText(kind engine.DocumentKind, given string) (engine.Document, error) {
	res, from := a.resources(), []string(nil)
	name, shipped := strings.CutPrefix(given, engine.Shipped)
	if shipped {
		from = []string{engine.Shipped}
	}
	doc, err := res.Find(kind, name, from)
	if noSuchDocument(err) {
		return doc, absent(name, res.Names(kind, from), "pflow prompt list", "there is no %s %q", kind, given)
	}
	if err != nil {
		return doc, usage("%s", fileError(err))
	}
	return doc, nil
}

// describedText is how a text that was saved or deleted is called.
func describedText(d engine.Document) string { return fmt.Sprintf("%s %s", d.Kind, d.Name) }
