// Command reloop rebuilds the branches of the functions of some packages in a WebAssembly module that Go has built for
// js:
//
//	go run ./tools/reloop IN OUT PACKAGE...      make wasm
//
// Go's compiler has no loops for WebAssembly: every jump writes the number of a
// block and goes back to the head of one loop around the whole function, where a
// table of branches leads to the block. An engine that compiles the module sees
// no loop that it could optimise. Go needs the table where a goroutine goes on: it
// calls the function again with the number of the block behind the call.
//
// So a function that may go on later keeps its body under a new index. The body under its own
// index starts at the first block and has loops and ifs in place of the
// table; called with another number, it calls the old body.
//
// The gain, measured as user time of node dist/wasm/tabula.mjs bench 14 (Node 24, V8 13.6, a shared two-core
// Xeon, means of four alternating runs with a standard error of 0.06 s):
//
//	as Go builds it                                6.05 s
//	loops and ifs                                  4.99 s    1.21 times as fast
//	paths of panics end (neverResumed)             4.46 s    1.12 times more
//
// What gained less than 5 % is gone: addresses in 32 bits, a stack pointer that is kept over calls, return
// addresses from a local, tracebacks and idle parts of the runtime left out. Few segments of data (data.go) gain no
// speed, but 114 KB of 2,577 by brotli, which is 2.3 s at 400 kbit/s.
//
// A function that is not of the shape that Go 1.26 gives all functions, or whose graph of blocks is
// irreducible, keeps its branches. A module without a function that could be rebuilt is written as it
// was read, with a word: another release of Go makes a slower engine and no broken one.
//
// IN needs the names of its functions, which OUT leaves out: link IN without -s.
// Source: N. Ramsey, "Beyond Relooper: Recursive Translation of Unstructured
// Control Flow to Structured Control Flow", 2022.
package main

import (
	"context"
	"errors"
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
		Name: "reloop", Usage: "rebuild the branches of functions in a WebAssembly module of Go",
		ArgsUsage: "IN OUT PACKAGE...", Writer: out, ErrWriter: errOut,
		Action: func(_ context.Context, cmd *cli.Command) error {
			args := cmd.Args().Slice()
			if len(args) < 3 {
				return exit.WrongUsef("IN OUT PACKAGE...: %d given, want three or more", len(args))
			}
			data, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			made, n, shape := rebuild(data, args[2:])
			if shape != nil {
				made = data
			}
			if err := os.WriteFile(args[1], made, 0o644); err != nil {
				return err
			}
			if shape != nil {
				_, err = fmt.Fprintf(out, "%s is the unchanged %s, which is slower: %v\n", args[1], args[0], shape)
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

// rebuild returns the module with the functions of the packages rebuilt. Packages are import paths; one that ends in
// /... stands for those below it. It fails where nothing has the shape that it knows.
func rebuild(data []byte, packages []string) ([]byte, counts, error) {
	m, err := readModule(data)
	if err != nil {
		return nil, counts{}, err
	}
	if len(m.names) == 0 {
		return nil, counts{}, errors.New("it has no names of functions: link without -s")
	}
	never := map[int]bool{}
	for index, name := range m.names {
		if neverResumed.MatchString(name) {
			never[index] = true
		}
	}
	wanted := pattern(packages)
	var n counts
	for i := range len(m.code) {
		if wanted.MatchString(m.names[m.imported+i]) {
			n.functions++
			if m.rebuild(i, never) {
				n.rebuilt++
			}
		}
	}
	switch {
	case n.functions == 0:
		return nil, n, fmt.Errorf("it has no function of %s", strings.Join(packages, ", "))
	case n.rebuilt == 0:
		return nil, n, fmt.Errorf("none of %d functions has the shape that Go 1.26 gives them", n.functions)
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
