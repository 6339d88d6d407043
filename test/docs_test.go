package test

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/tabula-chess/tabula/internal/chart"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/uci"
)

// readPages returns the Markdown files of the module that match patterns, by path.
func readPages(t *testing.T, patterns ...string) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, pattern := range patterns {
		names, err := filepath.Glob(filepath.Join(moduleRoot, pattern))
		if err != nil || names == nil {
			t.Fatalf("%s: no page, error %v", pattern, err)
		}
		for _, name := range names {
			text := kit.Read(t, name)
			pages[name] = string(text)
		}
	}
	return pages
}

// runAsUser runs a program in a module of its own, whose requirements are written by the commands that docs/library.md
// begins with.
func runAsUser(t *testing.T, program string) (output []byte, err error) {
	t.Helper()
	root, err := filepath.Abs(moduleRoot)
	kit.Succeed(t, err)
	page := string(kit.Read(t, filepath.Join(root, "docs/library.md")))
	block := regexp.MustCompile("(?ms)^```sh\n(.*?)^```").FindStringSubmatch(page)
	if block == nil || !strings.Contains(block[1], "=../tabula\n") {
		t.Fatalf("docs/library.md does not begin with a replacement by ../tabula: %q", block)
	}
	dir := t.TempDir()
	kit.Write(t, filepath.Join(dir, "main.go"), []byte(program))
	for line := range strings.Lines("go mod init example.com/mine\n" + block[1] + "go run .\n") {
		line, _, _ = strings.Cut(line, " #")
		words := strings.Fields(line)
		for i := range words {
			words[i] = strings.Replace(words[i], "../tabula", root, 1)
		}
		cmd := exec.Command(words[0], words[1:]...)
		// The checkout's go.sum has the sums already.
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOSUMDB=off")
		if output, err = cmd.CombinedOutput(); err != nil {
			return output, fmt.Errorf("%s: %w", line, err)
		}
	}
	return output, nil
}

// TestDocumentsRun compiles and runs the Go code of README, docs and package comments, in a module that is made as
// docs/library.md says. A complete program of a page runs by itself. The fragments of a page run one after the other in
// a function that has a context and returns an error. Each package of the library has a program in its comment, which
// prints what it says behind "Output:"; one without that needs what is not there, and is compiled alone.
func TestDocumentsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles programs")
	}
	var programs []string
	var functions, calls strings.Builder
	for page, text := range readPages(t, "README.md", "docs/*.md") {
		body := ""
		for _, block := range regexp.MustCompile("(?ms)^```go\n(.*?)^```").FindAllStringSubmatch(text, -1) {
			if strings.HasPrefix(block[1], "package ") {
				programs = append(programs, block[1])
			} else {
				body += "\n" + block[1]
			}
		}
		if body != "" {
			name := "page" + strings.TrimSuffix(filepath.Base(page), ".md")
			fmt.Fprintf(&functions, "func %s(ctx context.Context) error {%s\nreturn nil\n}\n", name, body)
			fmt.Fprintf(&calls, "if err := %s(context.Background()); err != nil { panic(err) }\n", name)
		}
	}
	outputs := map[string]string{}
	for _, pkg := range library {
		name := "package" + strings.ReplaceAll(pkg, "/", "_")
		body := packageProgram(t, pkg)
		fmt.Fprintf(&functions, "func %s() {%s", name, body)
		if _, output, ok := strings.Cut(body, "// Output:"); ok {
			fmt.Fprintf(&calls, "fmt.Println(%q)\n%s()\n", "== "+pkg, name)
			outputs[pkg] = strings.Join(strings.Fields(strings.NewReplacer("//", " ", "}", " ").Replace(output)), " ")
		}
	}
	programs = append(programs, withImports(t, functions.String()+"func main() {\n"+calls.String()+"}\n"))
	for _, program := range programs {
		out, err := runAsUser(t, program)
		if err != nil {
			t.Errorf("%v: %s\n%s", err, out, program)
		}
		for _, part := range strings.Split(string(out), "== ")[1:] {
			pkg, text, _ := strings.Cut(part, "\n")
			if got := strings.Join(strings.Fields(text), " "); got != outputs[pkg] {
				t.Errorf("the program in the comment of %s prints %q, want %q", pkg, got, outputs[pkg])
			}
			delete(outputs, pkg)
		}
	}
	if len(outputs) > 0 {
		t.Errorf("programs that have not run: %v", outputs)
	}
}

// packageProgram returns the body of main of the program in a package's comment, with the closing brace.
func packageProgram(t *testing.T, pkg string) string {
	t.Helper()
	built, err := build.ImportDir(filepath.Join(moduleRoot, pkg), 0)
	kit.Succeed(t, err)
	var body string
	for _, name := range built.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(built.Dir, name), nil, parser.PackageClauseOnly|parser.ParseComments)
		kit.Succeed(t, err)
		for _, block := range new(comment.Parser).Parse(file.Doc.Text()).Content {
			if code, ok := block.(*comment.Code); ok && strings.HasPrefix(code.Text, "package main\n") {
				_, body, _ = strings.Cut(code.Text, "func main() {")
			}
		}
	}
	if body == "" {
		t.Errorf("package %s: no program in its comment", pkg)
		return "}\n"
	}
	return body
}

// withImports returns a program with the imports that its body needs: packages of the library by their names, all
// others from the standard library.
func withImports(t *testing.T, body string) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "main.go", "package main\n"+body, 0)
	if err != nil {
		t.Fatalf("%v in\n%s", err, body)
	}
	var imports []string
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && slices.Contains(file.Unresolved, x) {
				name := x.Name
				if i := slices.IndexFunc(library, func(p string) bool { return path.Base(p) == name }); i >= 0 {
					name = module + "/" + library[i]
				}
				imports = append(imports, fmt.Sprintf("import %q\n", name))
			}
		}
		return true
	})
	slices.Sort(imports)
	return "package main\n" + strings.Join(slices.Compact(imports), "") + body
}

// TestLinksResolve follows the relative links of every Markdown page, headings included.
func TestLinksResolve(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for page, text := range readPages(t, "*.md", "docs/*.md", "docs/*/*.md", "bench/compare/*.md") {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			name, heading, _ := strings.Cut(m[1], "#")
			if strings.Contains(name, "://") {
				continue
			}
			target := filepath.Join(filepath.Dir(page), name)
			if name == "" {
				target = page
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %s leads nowhere", page, m[1])
			} else if heading != "" && strings.HasSuffix(target, ".md") && !slices.Contains(anchors(t, target), heading) {
				t.Errorf("%s: %s: no such heading", page, m[1])
			}
		}
	}
}

// anchors returns the fragments that GitHub makes of the headings of a page.
func anchors(t *testing.T, page string) (all []string) {
	t.Helper()
	text := kit.Read(t, page)
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(string(text), -1) {
		kept := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, strings.ReplaceAll(kept, " ", "-"))
	}
	return all
}

// TestOpenBenchConfig checks the engine description against what OpenBench demands: OpenBench/config.py and, for the
// presets of SPSA, verify_workload.py.
func TestOpenBenchConfig(t *testing.T) {
	text := kit.Read(t, filepath.Join(moduleRoot, "docs", "openbench", "Tabula.json"))
	var c struct {
		Private *bool
		NPS     int
		Source  string
		Build   struct {
			Path                         string
			Compilers, CPUFlags, Systems []string
		}
		Test    map[string]map[string]any    `json:"test_presets"`
		Tune    map[string]map[string]string `json:"tune_presets"`
		Datagen map[string]map[string]any    `json:"datagen_presets"`
	}
	kit.Succeed(t, json.Unmarshal(text, &c))
	if c.Private == nil || c.NPS <= 0 || len(c.Build.Systems) == 0 || c.Build.CPUFlags == nil || c.Build.Path != "." ||
		!slices.Equal(c.Build.Compilers, []string{"go>=1.26"}) || !strings.HasPrefix(c.Source, "https://github.com/") {
		t.Errorf("a field is missing or wrong: %+v", c)
	}
	if c.Test["default"] == nil || c.Tune["default"] == nil || c.Datagen["default"] == nil {
		t.Error("test, tune or datagen presets have no default")
	}
	options := regexp.MustCompile(`^Threads=\d+ Hash=\d+$`)
	for name, p := range c.Test {
		if text, _ := p["both_options"].(string); name != "default" && !options.MatchString(text) {
			t.Errorf("test preset %s: both_options %q, want Threads=N Hash=N", name, text)
		}
	}
	for name, p := range c.Tune {
		if name != "default" && (!options.MatchString(p["dev_options"]) || p["dev_time_control"] == "") {
			t.Errorf("tune preset %s: %v lacks dev_options or dev_time_control", name, p)
		}
	}
	for key, form := range map[string]string{
		"spsa_reporting_type": "^(BULK|BATCHED)$", "spsa_distribution_type": "^(SINGLE|MULTIPLE)$", "spsa_alpha": `^0\.\d+$`,
		"spsa_gamma": `^0\.\d+$`, "spsa_A_ratio": `^0\.\d+$`, "spsa_iterations": `^[1-9]\d*$`, "spsa_pairs_per": `^[1-9]\d*$`,
	} {
		if value := c.Tune["default"][key]; !regexp.MustCompile(form).MatchString(value) {
			t.Errorf("tune preset default: %s is %q, want %s", key, value, form)
		}
	}
}

// TestLichessBotConfig looks up each option that the configuration sets, because lichess-bot refuses to start with an
// unknown option. Options in comments are there to be used and count as well.
func TestLichessBotConfig(t *testing.T) {
	text := kit.Read(t, filepath.Join(moduleRoot, "docs", "lichess-bot", "config.yml"))
	var c struct {
		Engine struct {
			Protocol string
			Options  map[string]any `yaml:"uci_options"`
		}
	}
	kit.Succeed(t, yaml.Unmarshal(regexp.MustCompile(`(?m)^    # `).ReplaceAll(text, []byte("    ")), &c))
	if c.Engine.Protocol != "uci" || len(c.Engine.Options) < 5 {
		t.Errorf("engine: %+v", c.Engine)
	}
	for name, value := range c.Engine.Options {
		i := slices.IndexFunc(uci.Options(), func(o uci.Option) bool { return o.Name == name })
		if i < 0 {
			t.Errorf("uci_options sets %q, which is not an option of the engine", name)
			continue
		}
		o := uci.Options()[i]
		number, isNumber := value.(int)
		_, isBool := value.(bool)
		if isBool != (o.Type == "check") || isNumber != (o.Type == "spin") || isNumber && (number < o.Min || number > o.Max) {
			t.Errorf("uci_options sets %s to %v, which the engine does not take", name, value)
		}
	}
}

var update = flag.Bool("update", false, "write what make docs writes")

// compare compares a file in docs with what it should hold, or writes that with -update.
func compare(t *testing.T, name, want string) {
	t.Helper()
	if *update {
		kit.Write(t, name, []byte(want))
	} else if diff := cmp.Diff(want, string(kit.Read(t, name))); diff != "" {
		t.Errorf("%s is out of date, run make docs (-want +got):\n%s", name, diff)
	}
}

// optionTable returns the options of the engine as a Markdown table.
func optionTable() string {
	var b strings.Builder
	b.WriteString("| option | type | default | range | what it does |\n| --- | --- | --- | --- | --- |\n")
	for _, o := range uci.Options() {
		def, span := "", ""
		switch o.Type {
		case uci.Check:
			def = strconv.FormatBool(o.Default != 0)
		case uci.Spin:
			def, span = strconv.Itoa(o.Default), fmt.Sprintf("%d … %d", o.Min, o.Max)
		case uci.String:
			def = "`" + o.Text + "`"
		}
		name := "`" + o.Name + "`"
		for _, a := range o.Aliases {
			name += " or `" + a + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", name, o.Type, def, span, o.Doc)
	}
	return b.String()
}

// TestTables compares the tables in docs/uci.md with the options and with the commands that the protocol does not have.
func TestTables(t *testing.T) {
	name := filepath.Join(moduleRoot, "docs", "uci.md")
	commands := "| command | what it does |\n|---|---|\n"
	for _, c := range uci.Commands() {
		if !c.Standard {
			commands += "| `" + strings.ReplaceAll(strings.TrimSpace(c.Word+" "+c.Args), "|", "\\|") + "` | " + c.Doc + " |\n"
		}
	}
	want := string(kit.Read(t, name))
	for key, table := range map[string]string{"options": optionTable(), "commands": commands} {
		open, end := "<!-- "+key+" -->\n", "<!-- /"+key+" -->\n"
		before, rest, ok := strings.Cut(want, open)
		_, after, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Fatalf("%s: the table stands between the lines %q and %q", name, open, end)
		}
		want = before + open + table + end + after
	}
	compare(t, name, want)
}

// TestLineageCurve compares docs/img/lineage.svg with the table of networks in docs/training.md: Elo against Stockfish
// as the last column has it, and as the distances between networks add up to, down from the last network measured.
func TestLineageCurve(t *testing.T) {
	rows := regexp.MustCompile(`(?m)^\| r(\d+) \|.*\|([^|]*)\|[^|]*\|([^|]*)\|$`)
	number := func(cell string) (elo float64, ok bool) {
		word, _, _ := strings.Cut(strings.TrimSpace(cell), " ")
		elo, err := strconv.ParseFloat(strings.Replace(word, "−", "-", 1), 64)
		return elo, err == nil
	}
	direct, sum := chart.Series{Name: "measured"}, chart.Series{Name: "sum of steps"}
	networks := rows.FindAllStringSubmatch(string(kit.Read(t, filepath.Join(moduleRoot, "docs", "training.md"))), -1)
	for _, row := range slices.Backward(networks) {
		stage, _ := strconv.ParseFloat(row[1], 64)
		at, measured := number(row[3])
		if measured {
			direct.X, direct.Y = append(direct.X, stage), append(direct.Y, at)
		}
		if len(sum.X) == 0 {
			if !measured {
				continue
			}
			sum.X, sum.Y = append(sum.X, stage), append(sum.Y, at)
		}
		step, ok := number(row[2])
		if !ok {
			break
		}
		sum.X, sum.Y = append(sum.X, stage-1), append(sum.Y, sum.Y[len(sum.Y)-1]-step)
	}
	if len(sum.X) < len(networks)-1 || len(direct.X) < 2 {
		t.Fatalf("%d networks, %d with a distance to the one before, %d to Stockfish", len(networks), len(sum.X)-1, len(direct.X))
	}
	var svg strings.Builder
	kit.Succeed(t, chart.Lines(&svg, "The lineage: Elo to Stockfish 15.1 at 20,000 nodes a move", "network", "Elo", sum, direct))
	compare(t, filepath.Join(moduleRoot, "docs", "img", "lineage.svg"), svg.String())
}

// TestPositionCopies has go vet look at a program that copies a Position, which would share its history.
func TestPositionCopies(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go vet")
	}
	name := filepath.Join(t.TempDir(), "main.go")
	kit.Write(t, name, []byte(withImports(t, "func main() {\np := chess.NewPosition()\nq := *p\nfmt.Println(&q)\n}\n")))
	if out, err := exec.Command("go", "vet", name).CombinedOutput(); err == nil || !strings.Contains(string(out), "copies lock value") {
		t.Errorf("go vet lets a copy pass: %v\n%s", err, out)
	}
}
