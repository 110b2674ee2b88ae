// Package pflow_test holds what is true of the module as a whole.
package pflow_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// imports says what each package may import of this module: paths relative to it, "*" for one more element, "..." for
// anything below, and of other modules by their prefix. Every package stands here: one that does not is a fault, so that
// a new one is a decision. Tests may import more; see testImports.
var imports = map[string][]string{
	"cmd/pflow": {"...", "github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term"},

	"engine":            {"engine/cond", "engine/syntax", "internal/diag", "internal/fault", "internal/value", "internal/yamltree"},
	"engine/enginetest": {"engine", "internal/diag", "internal/fault", "internal/value", "nodes", "golang.org/x/tools/txtar"},
	"engine/syntax":     {"engine/cond", "internal/diag", "internal/fault", "internal/value", "internal/yamltree"},
	"engine/cond":       {"internal/diag", "internal/fault", "internal/repair", "internal/value", "github.com/expr-lang/expr", "github.com/google/cel-go", "github.com/ncruces/go-strftime"},
	"engine/journal":    {"engine", "internal/diag", "internal/fault", "internal/filelock", "internal/value"},

	"flows":            {},
	"experiments":      {},
	"experiments/pack": {"experiments"},
	"prompts":          {},
	"nodes":            {"engine", "engine/cond", "ir", "internal/*", "!internal/planner", "!internal/workflow", "!internal/experiment", "mvdan.cc/sh/v3"},
	"ir":               {"engine/cond", "internal/diag", "internal/fault", "internal/rabinkarp", "internal/value"},

	"internal/fault":     {"internal/diag"},
	"internal/value":     {"internal/fault"},
	"internal/consent":   {},
	"internal/diag":      {},
	"internal/printable": {},
	"internal/textmatch": {"internal/fault"},
	"internal/rabinkarp": {},
	"internal/inorder":   {"internal/fault"},
	"internal/language":  {},
	"internal/jsonedit":  {"internal/diag", "internal/fault", "internal/value"},
	"internal/table":     {"internal/diag", "internal/fault", "internal/value"},
	"internal/mask":      {"internal/value"},
	"internal/outbound":  {"internal/fault"},
	"internal/otlp":      {"engine", "internal/fault", "internal/llm", "internal/mask", "internal/outbound", "internal/printable", "internal/value"},
	"internal/otlptest":  {"go.opentelemetry.io/proto/slim/otlp", "google.golang.org/protobuf"},
	"internal/process":   {"internal/fault", "internal/mask"},
	"internal/download":  {"internal/fault", "internal/filelock"},
	"internal/htmltext":  {"golang.org/x/net"},
	"internal/archive":   {"internal/fault"},
	"internal/yamltree":  {"internal/diag", "internal/value", "gopkg.in/yaml.v3"},
	"internal/prompt":    {"internal/diag", "internal/fault", "internal/value", "internal/yamltree", "github.com/santhosh-tekuri/jsonschema/v6"},

	"internal/github":     {"internal/fault", "github.com/google/go-github"},
	"internal/githubtest": {},
	"internal/secret":     {"internal/diag", "internal/fault", "internal/mask", "internal/value", "github.com/zalando/go-keyring"},

	"internal/host":      {"engine", "ir", "nodes", "internal/*", "!internal/planner", "!internal/experiment"},
	"internal/flowtest":  {"engine", "internal/diag", "internal/fault", "internal/value", "internal/yamltree"},
	"internal/flowdiff":  {"engine", "ir", "internal/value", "internal/yamltree", "github.com/rogpeppe/go-internal"},
	"internal/home":      {"internal/fault"},
	"internal/settings":  {"ir", "engine/journal", "internal/atomicfile", "internal/diag", "internal/home", "internal/secret", "internal/split", "internal/value", "internal/yamltree"},
	"internal/shelf":     {"ir", "internal/catalogue", "internal/diag", "internal/fault", "internal/home", "internal/library", "internal/mcp", "internal/settings", "internal/value"},
	"internal/catalogue": {"ir", "internal/diag", "internal/fault", "internal/library", "internal/value", "internal/yamltree"},
	"internal/mcp":       {"ir", "internal/*", "!internal/planner", "!internal/workflow", "!internal/experiment", "github.com/modelcontextprotocol/go-sdk"},
	"internal/nodetype":  {"ir", "internal/fault", "internal/secret"},
	"internal/library":   {"ir", "internal/atomicfile", "internal/consent", "internal/diag", "internal/fault", "internal/filelock", "internal/value", "internal/workflowfile"},

	"internal/mcpserve":     {"ir", "internal/diag", "internal/fault", "internal/llm", "internal/value", "github.com/modelcontextprotocol/go-sdk"},
	"internal/workflowfile": {"ir", "internal/diag", "internal/value", "internal/yamltree"},

	"internal/repair":       {"internal/fault", "internal/value"},
	"internal/retrieve":     {"internal/diag", "internal/fault", "internal/value", "internal/yamltree"},
	"internal/extract":      {"internal/fault", "internal/value"},
	"internal/planshape":    {"internal/trigger", "internal/value", "internal/when"},
	"internal/when":         {"internal/diag", "internal/trigger", "internal/yamltree"},
	"internal/trigger":      {"internal/diag", "github.com/netresearch/go-cron"},
	"internal/schedule":     {"internal/atomicfile", "internal/consent", "internal/diag", "internal/extract", "internal/fault", "internal/filelock", "internal/filewatch", "internal/trigger", "internal/value"},
	"internal/retrieve/fit": {"internal/compose", "internal/library", "internal/mapparams", "internal/retrieve"},
	"internal/coverage":     {"internal/diag", "internal/extract", "internal/retrieve", "internal/yamltree"},
	"internal/coverage/fit": {"internal/catalogue", "internal/coverage"},
	"internal/compose/fit":  {"ir", "nodes", "internal/catalogue", "internal/compose", "internal/mapparams", "internal/retrieve"},
	"internal/mapparams":    {"ir", "internal/fault", "internal/value", "internal/extract", "internal/retrieve"},
	"internal/phrase":       {"ir", "internal/fault", "internal/value", "internal/compose", "internal/coverage", "internal/extract", "internal/mapparams", "internal/retrieve", "internal/yamltree"},
	"internal/compose":      {"ir", "internal/fault", "internal/value", "internal/coverage", "internal/diag", "internal/extract", "internal/mapparams", "internal/retrieve", "internal/yamltree"},

	"internal/web/assets":             {},
	"internal/web/assets/browsertest": {"github.com/chromedp/chromedp", "github.com/chromedp/cdproto"},

	"internal/outcome":  {"engine", "internal/diag", "internal/printable"},
	"internal/prepared": {"internal/value"},

	"internal/workflowtest": {"engine", "ir", "internal/diag", "internal/fault", "internal/flowtest", "internal/nodetype", "internal/secret", "internal/value", "internal/workflow", "internal/yamltree"},

	"internal/cputime":    {},
	"internal/filelock":   {},
	"internal/atomicfile": {"internal/filelock"},
	"internal/filewatch":  {"github.com/fsnotify/fsnotify"},
	"internal/gitcli":     {"internal/extract", "internal/fault"},
	"internal/runs":       {"engine", "engine/journal", "internal/planshape", "internal/stats", "internal/value", "modernc.org/sqlite"},
	"internal/split":      {"engine/journal", "internal/filelock", "internal/home", "internal/runs", "internal/stats", "internal/value"},
	"internal/written":    {"internal/fault", "internal/filelock", "modernc.org/sqlite"},
	"internal/workflow":   {"engine", "engine/*", "ir", "internal/*", "!internal/planner", "!internal/experiment"},
	"internal/planner":    {"engine", "engine/*", "ir", "internal/*", "!internal/experiment"},
	"internal/experiment": {"engine", "engine/*", "ir", "internal/*", "golang.org/x/text", "modernc.org/sqlite"},
	"internal/tune":       {"engine", "engine/syntax", "internal/experiment", "internal/fault", "internal/prompt", "internal/value", "internal/yamltree"},
	"internal/llm":        {"engine/cond", "internal/process", "internal/diag", "internal/fault", "internal/mask", "internal/outbound", "internal/prompt", "internal/repair", "internal/secret", "internal/value", "internal/yamltree", "github.com/sashabaranov/go-openai"},
	"internal/llmtest":    {"internal/diag", "internal/value", "internal/yamltree"},
	"internal/web":        {"internal/*", "internal/web/assets", "docs/schemas"},
	"docs/schemas":        {},
	"internal/trace":      {"engine", "internal/fault", "internal/value"},
	"internal/evaluation": {},
	"internal/stats":      {"internal/fault", "gonum.org/v1/gonum"},
}

// testImports is what tests may import beside what their package may.
var testImports = map[string][]string{
	"": {
		"github.com/google/go-cmp", "github.com/rogpeppe/go-internal", "golang.org/x/tools/txtar",
		"github.com/santhosh-tekuri/jsonschema/v6",
	},
	"engine":              {"engine/enginetest", "engine/journal", "internal/cputime", "nodes", "flows", "prompts"},
	"internal/retrieve":   {"internal/cputime"},
	"internal/split":      {"engine"},
	"internal/schedule":   {"internal/cputime"},
	"nodes":               {"flows", "prompts"},
	"cmd/pflow":           {"github.com/creack/pty", "github.com/modelcontextprotocol/go-sdk", "github.com/chromedp/chromedp"},
	"prompts":             {"internal/prompt"},
	"internal/yamltree":   {"internal/cputime", "internal/value"},
	"internal/llm":        {"internal/llmtest"},
	"internal/otlp":       {"engine/cond", "internal/cputime", "internal/otlptest"},
	"internal/github":     {"internal/githubtest", "internal/outbound"},
	"internal/githubtest": {},
	"internal/experiment": {"nodes", "flows", "prompts", "internal/web/assets/browsertest", "github.com/chromedp/chromedp"},

	"internal/web/assets":   {"internal/web/assets/browsertest", "github.com/chromedp/chromedp"},
	"internal/workflowtest": {"nodes", "internal/shelf", "internal/workflowfile"},
}

// importers names the package that may import each other module, where it needs to be several those; tests aside.
var importers = map[string]string{
	"github.com/spf13/cobra":                   "cmd/pflow",
	"github.com/spf13/pflag":                   "cmd/pflow",
	"gopkg.in/yaml.v3":                         "internal/yamltree",
	"github.com/expr-lang/expr":                "engine/cond",
	"github.com/google/cel-go":                 "engine/cond",
	"github.com/santhosh-tekuri/jsonschema/v6": "internal/prompt",
	"github.com/sashabaranov/go-openai":        "internal/llm",
	"golang.org/x/term":                        "cmd/pflow",
	"github.com/zalando/go-keyring":            "internal/secret",
	"github.com/google/go-github":              "internal/github",
	"github.com/rogpeppe/go-internal":          "internal/flowdiff",
	"mvdan.cc/sh/v3":                           "nodes",
	"gonum.org/v1/gonum":                       "internal/stats",
	"golang.org/x/text":                        "internal/experiment",
	"golang.org/x/net":                         "internal/htmltext",
	"modernc.org/sqlite":                       "internal/experiment internal/runs internal/written",
	"github.com/modelcontextprotocol/go-sdk":   "internal/mcp internal/mcpserve",
	"github.com/netresearch/go-cron":           "internal/trigger",
	"github.com/fsnotify/fsnotify":             "internal/filewatch",
}

// TestImports holds the packages to the table.
func TestImports(t *testing.T) {
	for _, f := range goFiles(t) {
		for _, imported := range f.imports {
			if why := refused(f, imported); why != "" {
				t.Errorf("%s imports %q: %s", f.path, imported, why)
			}
		}
	}
}

// goFile is one source file; the package is its directory.
type goFile struct {
	path, pkg string
	test      bool
	imports   []string
}

// goFiles reads the module's Go files. Directories with a go.mod of their own are other modules.
func goFiles(t *testing.T) []goFile {
	t.Helper()
	var files []goFile
	root := os.DirFS(".")
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if _, err := fs.Stat(root, path.Join(p, "go.mod")); p != "." && (err == nil || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") || path.Dir(p) == "." {
			return nil
		}
		src, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		f := goFile{path: p, pkg: path.Dir(p), test: strings.HasSuffix(p, "_test.go")}
		for _, spec := range src.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return fmt.Errorf("%s: %w", p, err)
			}
			f.imports = append(f.imports, name)
		}
		files = append(files, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Slice(files, func(i, j int) bool { return files[i].path < files[j].path })
	return files
}

// refused says why a file may not import a package, or "".
func refused(f goFile, imported string) string {
	own, inside := strings.CutPrefix(imported, "pflow/")
	if !inside {
		first, _, _ := strings.Cut(imported, "/")
		if !strings.Contains(first, ".") {
			return "" // the standard library
		}
		own = imported
	}
	allowed, known := imports[f.pkg]
	if !known {
		return fmt.Sprintf("the package %s does not stand in the table of imports_test.go; decide where it belongs", f.pkg)
	}
	if f.test {
		allowed = slices.Concat(allowed, testImports[""], testImports[f.pkg], []string{f.pkg})
	}
	if !f.test && !inside {
		for module, importer := range importers {
			if below(imported, module) && !slices.Contains(strings.Fields(importer), f.pkg) {
				return "only " + importer + " does"
			}
		}
	}
	if inside && strings.HasPrefix(own, "cmd/") {
		return "nothing imports cmd"
	}
	ok := false
	for _, pattern := range allowed {
		not := strings.HasPrefix(pattern, "!")
		if matches(strings.TrimPrefix(pattern, "!"), own, inside) {
			if not {
				return "the table refuses it"
			}
			ok = true
		}
	}
	if !ok {
		return "the table of imports_test.go does not have it"
	}
	return ""
}

func matches(pattern, imported string, inside bool) bool {
	if !inside {
		return below(imported, pattern)
	}
	if pattern == "..." {
		return true
	}
	ok, _ := path.Match(pattern, imported)
	return ok
}

// below reports whether a package belongs to a module.
func below(pkg, module string) bool { return pkg == module || strings.HasPrefix(pkg, module+"/") }
