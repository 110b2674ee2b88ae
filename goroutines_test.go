package pflow_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoroutines: a panic in a goroutine ends the process, whatever else it does. So one is only started by fault.Go and
// fault.Async, which make an error of it; what else starts one has no place outside tests. Of the coroutines of Temporal's workflow
// code the SDK makes an error.
func TestGoroutines(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && (name == "bench" || name == filepath.Join("internal", "fault") || strings.HasPrefix(name, ".") && name != ".") {
			if err == nil {
				err = fs.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: a go statement; use fault.Go or fault.Async", set.Position(n.Pos()))
			case *ast.SelectorExpr:
				pkg, _ := n.X.(*ast.Ident)
				named := pkg != nil && (pkg.Name == "fault" || pkg.Name == "workflow" && below(filepath.ToSlash(name), "temporal"))
				if n.Sel.Name == "Go" && !named || n.Sel.Name == "AfterFunc" {
					t.Errorf("%s: %s starts a goroutine; use fault.Go or fault.Async", set.Position(n.Pos()), n.Sel.Name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || files < 100 {
		t.Fatal(files, err)
	}
}
