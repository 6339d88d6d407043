package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/gen/source"
)

// typesFile is a file of TypeScript with the structures of some packages whose fields have
// JSON names, and with their types of a few texts.
type typesFile struct {
	path  string
	about string // what stands before the first type
	from  []typesSource
}

// typesSource is the folder of a package and the names of its types, none for all.
type typesSource struct {
	dir   string
	names []string
}

var typesFiles = []typesFile{
	{"web/src/zmessages.ts",
		"// The messages between page and engine, from the structures of package app/session and those\n" +
			"// that it uses. docs/web.md says what each means.\n\n" +
			"export type Side = \"white\" | \"black\";\n",
		[]typesSource{
			{"app/session", nil}, {"review", nil}, {"app/lab", nil},
			{"games", []string{"Count", "MoveCount", "Listed", "Report", "Imported", "Filter", "RepertoireReport", "Departure"}},
			{"pgn", []string{"Tag", "Eval"}}, {"openings", []string{"Opening"}},
		}},
	{"web/src/farm/zfarm.ts", "// The data behind the farm's page. go doc ./farm/hub Page says where each is.\n",
		[]typesSource{
			{"work", []string{"Number"}},
			{"farm/run", []string{
				"Ended", "Record", "Done", "Progress", "RunView", "Machine", "WorkerStatus", "WorkerView", "Overview"}},
			{"farm/hub", []string{"Point", "Run"}},
		}},
}

// renamed gives structures another name in TypeScript where theirs belongs to the
// browser or to another type there.
// review.Score is written as the structure jsonScore.
var renamed = map[string]string{
	"lab.Fault": "Failure", "session.Error": "Failure", "session.jsonNode": "GameMove",
	"games.Report": "GamesReport", "games.Found": "Listed", "games.Imported": "GamesImported",
	"games.Filter": "FilterFields", "games.Date": "string",
	"syzygy.WDL": "number", "syzygy.DTZ": "number",
	"work.Number": "Figure", "run.Record": "RunRecord", "run.WorkerStatus": "WorkerState", "run.Overview": "View",
}

// emit returns the file, from the Go sources below root.
func (f typesFile) emit(root string) ([]byte, error) {
	m := &messageTypes{packages: map[string]map[string]ast.Expr{}, order: map[string][]string{}}
	m.texts = map[string][]string{}
	for _, from := range f.from {
		if err := m.read(filepath.Join(root, filepath.FromSlash(from.dir))); err != nil {
			return nil, err
		}
	}
	m.out.WriteString(source.Header(source.Gen) + "\n" + f.about)
	for _, from := range f.from {
		pkg := path.Base(from.dir)
		names := from.names
		if names == nil {
			names = m.order[pkg]
		}
		for _, name := range names {
			if err := m.declare(pkg, name); err != nil {
				return nil, fmt.Errorf("%s.%s: %w", pkg, name, err)
			}
		}
	}
	return m.out.Bytes(), nil
}

// messageTypes holds the declared types of the packages and the text written so far.
type messageTypes struct {
	packages map[string]map[string]ast.Expr
	order    map[string][]string // names in the order of files and declarations
	texts    map[string][]string // the constants of types, as literals
	out      bytes.Buffer
}

// read collects the types that a package declares.
func (m *messageTypes) read(dir string) error {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return fmt.Errorf("%s has no Go files", dir)
	}
	pkg := filepath.Base(dir)
	m.packages[pkg] = map[string]ast.Expr{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				return false
			case *ast.TypeSpec:
				m.packages[pkg][n.Name.Name] = n.Type
				m.order[pkg] = append(m.order[pkg], n.Name.Name)
			case *ast.ValueSpec:
				kind, named := n.Type.(*ast.Ident)
				for _, v := range n.Values {
					if text, ok := v.(*ast.BasicLit); ok && named && text.Kind == token.STRING {
						m.texts[kind.Name] = append(m.texts[kind.Name], text.Value)
					}
				}
			}
			return true
		})
	}
	return nil
}

// declare writes a type of texts as their union and a structure as an interface, unless none
// of its fields has a JSON name. The fields of a request are all optional, and those that
// every request has are left out, since the client adds them.
func (m *messageTypes) declare(pkg, name string) error {
	if m.packages[pkg][name] == nil {
		return errors.New("there is no such type")
	}
	if kind, ok := m.packages[pkg][name].(*ast.Ident); ok && kind.Name == "string" {
		fmt.Fprintf(&m.out, "\nexport type %s = %s;\n", m.name(pkg, name), strings.Join(m.texts[name], " | "))
	}
	s, ok := m.packages[pkg][name].(*ast.StructType)
	request := strings.HasSuffix(name, "Fields")
	named := func(f *ast.Field) bool { return jsonTag(f) != "" || request && len(f.Names) == 0 }
	if !ok || !ast.IsExported(name) && !request && !strings.HasPrefix(name, "json") ||
		!slices.ContainsFunc(s.Fields.List, named) {
		return nil
	}
	var parents []string
	for _, f := range s.Fields.List {
		if len(f.Names) == 0 && jsonTag(f) == "" {
			kind, _, err := m.typeOf(pkg, f.Type)
			if err != nil {
				return err
			}
			parents = append(parents, kind)
		}
	}
	extends := ""
	if len(parents) > 0 {
		extends = " extends " + strings.Join(parents, ", ")
	}
	fmt.Fprintf(&m.out, "\nexport interface %s%s {\n", m.name(pkg, name), extends)
	if err := m.fields(pkg, s, "\t", request); err != nil {
		return err
	}
	m.out.WriteString("}\n")
	return nil
}

// fields writes the named fields of a structure.
func (m *messageTypes) fields(pkg string, s *ast.StructType, indent string, request bool) error {
	for _, f := range s.Fields.List {
		tag := jsonTag(f)
		if tag == "" || tag == "-" {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		kind, nullable, err := m.typeOf(pkg, f.Type)
		if err != nil {
			return fmt.Errorf("field %s: %w", name, err)
		}
		optional := ""
		switch {
		case request || strings.Contains(options, "omitempty"):
			optional = "?"
		case nullable:
			kind += " | null"
		}
		if name == "turn" || name == "side" {
			kind = "Side"
		}
		fmt.Fprintf(&m.out, "%s%s%s: %s;\n", indent, name, optional, kind)
	}
	return nil
}

// jsonTag returns what a field's tag says for JSON, "" for nothing.
func jsonTag(f *ast.Field) string {
	if f.Tag == nil {
		return ""
	}
	text, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return ""
	}
	return reflect.StructTag(text).Get("json")
}

// typeOf returns the TypeScript type of a Go type, and whether it may be null. Slices
// are never null in a reply.
func (m *messageTypes) typeOf(pkg string, e ast.Expr) (kind string, nullable bool, err error) {
	switch e := e.(type) {
	case *ast.StarExpr:
		kind, _, err = m.typeOf(pkg, e.X)
		return kind, true, err
	case *ast.ArrayType:
		if elem, ok := e.Elt.(*ast.Ident); ok && elem.Name == "byte" && e.Len == nil {
			return "string", false, nil // base64
		}
		kind, _, err = m.typeOf(pkg, e.Elt)
		if length, ok := e.Len.(*ast.BasicLit); ok {
			n, _ := strconv.Atoi(length.Value)
			return "[" + strings.Join(slices.Repeat([]string{kind}, n), ", ") + "]", false, err
		}
		return kind + "[]", false, err
	case *ast.MapType:
		kind, _, err = m.typeOf(pkg, e.Value)
		return "Record<string, " + kind + ">", false, err
	case *ast.StructType:
		inner := messageTypes{packages: m.packages}
		err = inner.fields(pkg, e, " ", true)
		return "{" + strings.ReplaceAll(inner.out.String(), "\n", "") + " }", false, err
	case *ast.SelectorExpr:
		from := e.X.(*ast.Ident).Name
		if from == "json" {
			return "number | string", true, nil // an id
		}
		if from == "time" || from == "chess" {
			return "string", false, nil
		}
		return m.name(from, e.Sel.Name), false, nil
	case *ast.Ident:
		return m.ident(pkg, e.Name)
	}
	return "", false, fmt.Errorf("no TypeScript type for %T", e)
}

// ident returns the TypeScript type of a named Go type.
func (m *messageTypes) ident(pkg, name string) (kind string, nullable bool, err error) {
	switch name {
	case "string":
		return "string", false, nil
	case "bool":
		return "boolean", false, nil
	case "int", "int64", "uint64", "float64":
		return "number", false, nil
	case "any":
		return "unknown", false, nil
	}
	if _, ok := m.packages[pkg][name]; !ok {
		return "", false, fmt.Errorf("no TypeScript type for %s", name)
	}
	return m.name(pkg, name), false, nil
}

// name returns the TypeScript name of a structure. Names that both packages have,
// and review.Side, begin with Review where they are those of review.
func (m *messageTypes) name(pkg, name string) string {
	if other, ok := renamed[pkg+"."+name]; ok {
		return other
	}
	name = strings.TrimPrefix(name, "json")
	_, both := m.packages["session"][name]
	if _, json := m.packages["session"]["json"+name]; pkg == "review" && (both || json || name == "Side") {
		return "Review" + name
	}
	return strings.ToUpper(name[:1]) + name[1:]
}
