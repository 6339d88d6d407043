package course

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// Subject is a move generator that is judged.
type Subject interface {
	// Moves returns the legal moves of a position in UCI text, in any order.
	Moves(p *chess.Position) ([]string, error)
	// Perft counts leaves. Only a subject that Counts is asked.
	Perft(p *chess.Position, depth int) (uint64, error)
	Counts() bool
	Close()
}

// subjectEngine is a program that answers go perft.
type subjectEngine struct{ *generator.External }

// StartEngine runs a UCI engine as a subject.
func StartEngine(ctx context.Context, command string) (Subject, error) {
	e, err := generator.StartEngine(ctx, command)
	return subjectEngine{e}, err
}

func (e subjectEngine) Moves(p *chess.Position) (moves []string, err error) {
	lines, err := e.Divide(p, 1)
	if _, odd := errors.AsType[*perft.DivideError](err); odd {
		return printed(e.Printed), nil // moves that are none, or come twice: the judge says what is wrong with them
	}
	for _, l := range lines {
		moves = append(moves, l.Text)
	}
	return moves, err
}

// printed returns the words before counts in the lines of a divide.
func printed(text string) (moves []string) {
	for line := range strings.Lines(text) {
		move, count, found := strings.Cut(line, ":")
		_, err := strconv.ParseUint(strings.TrimSpace(count), 10, 64)
		if move = strings.TrimSpace(move); found && err == nil && !strings.Contains(move, " ") {
			moves = append(moves, move)
		}
	}
	return moves
}

func (subjectEngine) Counts() bool { return true }

// pkg is a Go package, run in a scratch program that answers in JSON, a line for each question.
type pkg struct {
	counts bool
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	errors *tail
	began  bool  // it has printed marker
	ended  error // after which nothing is asked

	patience time.Duration // for one answer
}

// question is a line to the scratch program; depth 0 asks for the moves.
type question struct {
	FEN   string
	Depth int
}

// reply is a line from it.
type reply struct {
	Moves []string
	Nodes uint64
	Panic string
}

//go:embed scratch.go.txt
var scratch string

// StartPackage builds the Go package in a folder together with a scratch program, and runs it. What the package prints
// goes to errOut. The package has func Moves(fen string) []string, and may have func Perft(fen string, depth int)
// uint64.
func StartPackage(ctx context.Context, dir string, errOut io.Writer) (Subject, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, exit.WrongUsef("go: %s is not a folder", dir)
	}
	listed, err := goTool(ctx, dir, "list", "-json=Name,ImportPath,GoFiles", ".")
	if err != nil {
		return nil, exit.WrongUsef("go: %s: %w", dir, err)
	}
	var found struct {
		Name, ImportPath string
		GoFiles          []string
	}
	if err := json.Unmarshal(listed, &found); err != nil {
		return nil, fmt.Errorf("go: %s: go list: %w", dir, err)
	}
	if found.Name == "main" {
		return nil, exit.WrongUsef("go: %s is a program: want a package that can be imported, such as package mine", dir)
	}
	functions, err := declared(dir, found.GoFiles)
	if err != nil {
		return nil, exit.WrongUsef("go: %w", err)
	}
	if !functions["Moves"] {
		return nil, exit.WrongUsef("go: %s has no function Moves: want func Moves(fen string) []string", dir)
	}
	temp, err := os.MkdirTemp("", "course")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp) // the running program needs no file
	program := filepath.Join(temp, "judged")
	if err := build(ctx, dir, temp, program, found.ImportPath, functions["Perft"]); err != nil {
		return nil, err
	}
	return start(ctx, program, functions["Perft"], errOut)
}

// declared returns the functions without a receiver that Go files declare.
func declared(dir string, files []string) (map[string]bool, error) {
	names := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				names[f.Name.Name] = true
			}
		}
	}
	return names, nil
}

// goTool runs the go command in a folder. The error has what it printed.
func goTool(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off") // a workspace around the folder need not know it
	var printed bytes.Buffer
	cmd.Stderr = &printed
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %s", args[0], cmp.Or(strings.TrimSpace(printed.String()), err.Error()))
	}
	return out, nil
}

// signature is in the compiler's message about a function of another type than the scratch program wants.
var signature = regexp.MustCompile(`cannot use subject\.(\w+) \(.*?func(\(.*)\) as func(\(.*) value in variable`)

// build builds the scratch program, which lies inside the package's module for the go command only.
func build(ctx context.Context, dir, temp, program, path string, counts bool) error {
	source := strings.NewReplacer("IMPORT", strconv.Quote(path), "FOLDER", strconv.Quote(dir)).Replace(scratch)
	if !counts {
		source = strings.NewReplacer("subject.Perft(q.FEN, q.Depth)", "0",
			"var _ func(fen string, depth int) uint64 = subject.Perft", "").Replace(source)
	}
	const folder = "tabula_judge"
	file, overlay := filepath.Join(temp, "main.go"), filepath.Join(temp, "overlay.json")
	main := filepath.Join(dir, folder, "main.go")
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{main: file}})
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		return err
	}
	if err := os.WriteFile(overlay, replaced, 0o666); err != nil {
		return err
	}
	if _, err := goTool(ctx, dir, "build", "-overlay", overlay, "-o", program, "./"+folder); err != nil {
		if found := signature.FindStringSubmatch(err.Error()); found != nil {
			return exit.WrongUsef("go: %s must be func %[1]s%s, not func%s", found[1], found[3], found[2])
		}
		return fmt.Errorf("go: the package does not build: %w", err)
	}
	return nil
}

// start runs the scratch program.
func start(ctx context.Context, program string, counts bool, errOut io.Writer) (*pkg, error) {
	p := &pkg{patience: 20 * time.Second, counts: counts, cmd: exec.CommandContext(ctx, program),
		errors: &tail{to: errOut}}
	p.cmd.Stderr = p.errors
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReader(out)
	return p, p.cmd.Start()
}

func (p *pkg) Counts() bool { return p.counts }

func (p *pkg) Moves(position *chess.Position) ([]string, error) {
	r, err := p.ask(question{FEN: generator.CourseFEN(position)})
	return r.Moves, err
}

func (p *pkg) Perft(position *chess.Position, depth int) (uint64, error) {
	r, err := p.ask(question{generator.CourseFEN(position), depth})
	return r.Nodes, err
}

// errPanic reports that the program of a reader panicked and goes on.
var errPanic = errors.New("panic")

// ask sends a question and waits for the answer.
func (p *pkg) ask(q question) (r reply, err error) {
	if p.ended != nil {
		return r, p.ended
	}
	late := time.AfterFunc(p.patience, func() { _ = p.cmd.Process.Kill() })
	line, err := json.Marshal(q)
	if err == nil {
		_, err = p.in.Write(append(line, '\n'))
	}
	if err == nil {
		line, err = p.answer()
	}
	inTime := late.Stop()
	switch {
	case err != nil && !inTime:
		p.ended = fmt.Errorf("no answer within %v", p.patience)
	case err != nil:
		_ = p.cmd.Wait() // for the rest of its messages
		p.ended = fmt.Errorf("the program ended: %s", cmp.Or(p.errors.line, err.Error()))
	case json.Unmarshal(line, &r) != nil: // the program goes on
		p.Close()
		p.ended = fmt.Errorf("it wrote %.60q instead of an answer", line)
	case r.Panic != "":
		return r, fmt.Errorf("%w: %s", errPanic, r.Panic)
	}
	return r, p.ended
}

// marker is what the scratch program prints once the package has been initialised; answers follow.
const marker = "\x00answers\n"

// answer returns the next line, after what the package prints as it is initialised.
func (p *pkg) answer() ([]byte, error) {
	for !p.began {
		line, err := p.out.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		var printed []byte
		printed, p.began = bytes.CutSuffix(line, []byte(marker))
		if _, err := p.errors.Write(printed); err != nil {
			return nil, err
		}
	}
	return p.out.ReadBytes('\n')
}

// Close ends the program.
func (p *pkg) Close() {
	_ = p.in.Close()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// tail passes messages on and keeps the line in which the Go runtime says why it ended.
type tail struct {
	mu   sync.Mutex
	to   io.Writer
	line string
	rest string // of a line that is not complete
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.rest + string(b) // the runtime writes a line in parts
	t.rest = all[strings.LastIndexByte(all, '\n')+1:]
	for line := range strings.Lines(all) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			t.line = strings.TrimSpace(line)
		}
	}
	return t.to.Write(b)
}
