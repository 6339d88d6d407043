// Command reloop makes a WebAssembly module that Go has built for js smaller, and rebuilds the
// branches of the functions of some packages:
//
//	go run ./internal/reloop IN OUT [PACKAGE...]      make wasm
//
// Go's compiler has no loops for WebAssembly: every jump writes the number of a
// block and goes back to the head of one loop around the whole function, where a
// table of branches leads to the block. An engine that compiles the module sees
// no loop that it could optimise. Go needs the table where a goroutine goes on: it
// calls the function again with the number of the block behind the call.
//
// So a function that may go on later keeps its body under a new index. The body under its own
// index starts at the first block and has loops and ifs in place of the
// table; called with another number, it calls the old body. A function that is
// not of the shape that Go 1.26 gives all functions, or whose graph of blocks is
// irreducible, keeps its branches.
//
// In all packages addresses are reckoned in 32 bits where Go does so in 64. Names and lines
// of the source for tracebacks go, and the data come in few segments: see data.go.
//
// IN needs the names of its functions, which OUT leaves out: link IN without -s.
// Source: N. Ramsey, "Beyond Relooper: Recursive Translation of Unstructured
// Control Flow to Structured Control Flow", 2022.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
)

func main() { command.Main(newCommand) }

func newCommand(out, errOut io.Writer) *cli.Command {
	return &cli.Command{
		Name: "reloop", Usage: "make a WebAssembly module of Go smaller and rebuild branches",
		ArgsUsage: "IN OUT [PACKAGE...]", Writer: out, ErrWriter: errOut,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "drop", Usage: "let functions that match `REGEXP` trap: the program never calls them"},
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			args := cmd.Args().Slice()
			if len(args) < 2 {
				return exit.WrongUsef("IN OUT [PACKAGE...]: %d given, want two or more", len(args))
			}
			drop, err := regexp.Compile(cmp.Or(cmd.String("drop"), "^$"))
			if err != nil {
				return exit.WrongUsef("--drop: %w", err)
			}
			data, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			made, n, err := rebuild(data, args[2:], drop)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if err := os.WriteFile(args[1], made, 0o644); err != nil {
				return err
			}
			_, err = fmt.Fprintf(out, "%d of %d functions rebuilt\n", n.rebuilt, n.functions)
			return err
		},
	}
}

// counts is what rebuild reports: the functions of the packages, and how many of
// them it has rebuilt.
type counts struct{ functions, rebuilt int }

// rebuild returns the module with the functions of the packages rebuilt, and without the code of those
// that are idle or match drop. Packages are import paths; one that ends in /... stands for those below it.
func rebuild(data []byte, packages []string, drop *regexp.Regexp) ([]byte, counts, error) {
	m, err := readModule(data)
	if err != nil {
		return nil, counts{}, err
	}
	if len(m.names) == 0 {
		return nil, counts{}, fmt.Errorf("no names of functions: link without -s")
	}
	never := map[int]bool{}
	for index, name := range m.names {
		if neverResumed.MatchString(name) {
			never[index] = true
		}
	}
	wanted := pattern(packages)
	var n counts
	empty := func(name string) bool { return idle.MatchString(name) || drop.MatchString(name) }
	for i := range len(m.code) {
		switch name := m.names[m.imported+i]; {
		case idle.MatchString(name):
			m.code[i] = returns
			continue
		case drop.MatchString(name):
			m.code[i] = traps
			continue
		}
		if len(packages) > 0 && wanted.MatchString(m.names[m.imported+i]) {
			n.functions++
			if m.rebuild(i, never) {
				n.rebuilt++
				continue
			}
		}
		if locals, ins, err := decode(m.code[i]); err == nil {
			m.code[i] = encode(locals, ins)
		}
	}
	for i := range m.code {
		m.code[i] = shareAddresses(m.code[i])
	}
	if n.functions == 0 && len(packages) > 0 {
		return nil, n, fmt.Errorf("no function of %s", strings.Join(packages, ", "))
	}
	if m.memory != nil {
		if err := clearTracebacks(m.memory, empty); err != nil {
			return nil, n, err
		}
	}
	return m.bytes(), n, nil
}

// neverResumed matches what Go calls without coming back to behind the call: a
// panic, and runtime.morestack, behind which the function starts anew.
var neverResumed = regexp.MustCompile(`^runtime\.(morestack(_noctxt)?|(goP|p)anic[A-Z]\w*|gopanic|panic(divide|shift|mem|dottype[EI]|nil\w*|unsafe\w+)|sigpanic|throw|fatal)$`)

// unusual is the characters for which Go's linker writes an underscore in a name.
var unusual = regexp.MustCompile(`[^\w.]`)

// pattern returns what matches the names of the packages' functions.
func pattern(packages []string) *regexp.Regexp {
	var parts []string
	for _, p := range packages {
		root, below := strings.CutSuffix(p, "/...")
		part := regexp.QuoteMeta(unusual.ReplaceAllString(root, "_"))
		if below {
			part += `(_\w+)?`
		}
		parts = append(parts, part+`\.`)
	}
	return regexp.MustCompile("^(" + strings.Join(parts, "|") + ")")
}

// rebuild rebuilds function i, counted without imports, and reports whether it could.
func (m *module) rebuild(i int, never map[int]bool) bool {
	f, err := parse(m.code[i], never)
	if err != nil {
		return false
	}
	old := -1
	if f.resumed {
		old = m.imported + len(m.code)
	}
	body, err := f.structured(old)
	if err != nil {
		return false
	}
	if f.resumed {
		m.types = append(m.types, m.types[i])
		m.code = append(m.code, f.body)
	}
	m.code[i] = body
	return true
}
