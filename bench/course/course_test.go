package course

import (
	"bytes"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/examples/course"
	"github.com/tabula-chess/tabula/examples/course/array"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestStages looks for invalid and repeated positions, and in the easy stages for moves that are not legal because of
// the king, or special.
func TestStages(t *testing.T) {
	for _, c := range course.Chapters() {
		seen := map[string]bool{}
		for i, s := range stages(c.Name) {
			fens, err := s.positions()
			kit.Succeed(t, err)
			for _, fen := range fens {
				if seen[fen] {
					t.Errorf("%s, %s: %s comes twice", c.Name, s.name, fen)
				}
				seen[fen] = true
				p := kit.Position(t, fen)
				if legal, all := len(movegen.Legal(p, nil)), len(movegen.Pseudo(p, nil)); i < easy && (legal != all || p.Castling() != 0 || p.InCheck()) {
					t.Errorf("%s: %s: %d moves, %d of them legal", s.name, fen, all, legal)
				}
			}
		}
	}
}

// function is a subject in this program. A fault changes its answers.
type function struct {
	moves func(p *chess.Position) ([]string, error)
	perft func(p *chess.Position, depth int) uint64
}

func (f function) Moves(p *chess.Position) ([]string, error) { return f.moves(p) }
func (f function) Perft(p *chess.Position, depth int) (uint64, error) {
	return f.perft(p, depth), nil
}
func (f function) Counts() bool { return f.perft != nil }
func (function) Close()         {}

// right lists the legal moves.
func right(p *chess.Position) (texts []string) {
	for _, m := range movegen.Legal(p, nil) {
		texts = append(texts, p.UCI(m))
	}
	return texts
}

// TestChapters judges the generators of the course.
func TestChapters(t *testing.T) {
	for _, c := range course.Chapters() {
		var out bytes.Buffer
		err := Judge(function{
			func(p *chess.Position) ([]string, error) { return c.Moves(p.FEN()), nil },
			func(p *chess.Position, depth int) uint64 { return c.Perft(p.FEN(), depth) },
		}, c, &out)
		if err != nil || !strings.Contains(out.String(), "All is right") {
			t.Errorf("%s: %v\n%s", c.Name, err, &out)
		}
	}
}

// without removes the moves that a function names.
func without(drop func(p *chess.Position, m chess.Move) bool) func(p *chess.Position) ([]string, error) {
	return func(p *chess.Position) (texts []string, err error) {
		for _, m := range movegen.Legal(p, nil) {
			if !drop(p, m) {
				texts = append(texts, p.UCI(m))
			}
		}
		return texts, nil
	}
}

// pseudo adds the illegal moves that a function names.
func pseudo(add func(p *chess.Position, m chess.Move) bool) func(p *chess.Position) ([]string, error) {
	return func(p *chess.Position) ([]string, error) {
		texts, moves := right(p), movegen.Pseudo(p, nil)
		for _, wing := range []chess.Wing{chess.KingSide, chess.QueenSide} {
			us := p.SideToMove()
			if rook := p.CastlingRook(us, wing); rook != chess.NoSquare {
				moves = append(moves, chess.NewMove(p.King(us), rook, chess.Castling))
			}
		}
		for _, m := range moves {
			if text := p.UCI(m); slices.Contains(texts, text) {
				continue
			}
			if !p.IsLegal(m) && add(p, m) {
				texts = append(texts, p.UCI(m))
			}
		}
		return texts, nil
	}
}

// breaks reports whether a move breaks a rule.
func breaks(rules ...movegen.Rule) func(p *chess.Position, m chess.Move) bool {
	return func(p *chess.Position, m chess.Move) bool {
		reasons := movegen.Explain(p, m)
		return len(reasons) > 0 && slices.Contains(rules, reasons[0].Rule)
	}
}

// TestWrong judges generators that are wrong on purpose.
func TestWrong(t *testing.T) {
	for _, c := range []struct {
		name   string
		moves  func(p *chess.Position) ([]string, error)
		stage  string
		pieces int // at most, in the position that is shown
		want   []string
	}{
		{"nothing", func(*chess.Position) ([]string, error) { return nil, nil }, "kings, and the edges", 2, []string{"missing. The king on"}},
		{"promotion to queen only", without(func(_ *chess.Position, m chess.Move) bool {
			return m.Kind() == chess.Promotion && m.PromotionType() != chess.Queen
		}), "promotion", 3, []string{"missing. A pawn that reaches the last rank becomes a queen, a rook, a bishop or a knight"}},
		{"no promotion by capture", without(func(p *chess.Position, m chess.Move) bool {
			return m.Kind() == chess.Promotion && p.Piece(m.To()) != chess.NoPiece
		}), "promotion", 4, []string{"becomes a queen"}},
		{"no double step", without(func(p *chess.Position, m chess.Move) bool {
			return p.Piece(m.From()).Type() == chess.Pawn && m.From()^m.To() == 16
		}), "pawns", 3, []string{"may move two squares if both are empty"}},
		{"into check", pseudo(breaks(movegen.RuleKingAttacked)), "check", 3, []string{"not legal. The king would stand on", "attacked by"}},
		{"check ignored", pseudo(breaks(movegen.RuleCheck)), "check", 4, []string{"is in check by", "does not end it"}},
		{"double check answered by a capture", pseudo(breaks(movegen.RuleDoubleCheck)), "double check", 5, []string{"only the king can move"}},
		{"pins ignored", pseudo(breaks(movegen.RulePin)), "pins", 4, []string{"would open the line"}},
		{"castling through check", pseudo(breaks(movegen.RuleCastlingAttacked)), "castling", 4,
			[]string{"not legal. The king would cross or reach", "attacked by the"}},
		{"castling out of check", pseudo(breaks(movegen.RuleCastlingInCheck)), "castling", 4, []string{"may not castle"}},
		{"castling over a piece", pseudo(func(p *chess.Position, m chess.Move) bool {
			return m.Kind() == chess.Castling && breaks(movegen.RuleBlocked)(p, m)
		}), "castling", 4, []string{"not legal. The way of king and rook is blocked"}},
		{"castling without the right", func(p *chess.Position) ([]string, error) {
			texts := right(p)
			if p.SideToMove() == chess.White && p.Castling()&1 == 0 && p.King(0) == chess.E1 && p.Piece(chess.H1) == chess.MakePiece(0, chess.Rook) &&
				!p.InCheck() && !p.Occupied().Has(chess.F1) && !p.Occupied().Has(chess.G1) {
				texts = append(texts, "e1g1")
			}
			return texts, nil
		}, "castling", 4, []string{"e1g1: not legal", "no right"}},
		{"castling written as king takes rook", func(p *chess.Position) (texts []string, _ error) {
			for _, m := range movegen.Legal(p, nil) {
				texts = append(texts, m.String())
			}
			return texts, nil
		}, "castling", 3, []string{"is written e"}},
		{"no en passant", without(func(_ *chess.Position, m chess.Move) bool { return m.Kind() == chess.EnPassant }),
			"en passant", 4, []string{"A pawn has just moved two squares and passed", "the captured pawn leaves the board"}},
		{"en passant pinned on the rank", pseudo(func(p *chess.Position, m chess.Move) bool {
			return m.Kind() == chess.EnPassant && chess.RookAttacks(p.King(p.SideToMove()), 0)&m.From().Bitboard() != 0 &&
				p.King(p.SideToMove()).Rank() == m.From().Rank()
		}), "en passant", 5, []string{"would open the line of the rook"}},
		{"en passant at any time", func(p *chess.Position) ([]string, error) {
			texts := right(p)
			if p.SideToMove() == chess.White && p.EnPassant() == chess.NoSquare && p.Piece(chess.E5) == chess.MakePiece(0, chess.Pawn) &&
				p.Piece(chess.D5) == chess.MakePiece(1, chess.Pawn) && p.Piece(chess.D6) == chess.NoPiece {
				texts = append(texts, "e5d6")
			}
			return texts, nil
		}, "en passant", 4, []string{"e5d6: not legal"}},
		{"a move twice", func(p *chess.Position) ([]string, error) { return append(right(p), right(p)[:1]...), nil }, "kings", 2, []string{"listed twice"}},
		{"over the edge", func(p *chess.Position) ([]string, error) {
			texts := right(p)
			for _, text := range texts {
				if text[0] == 'h' {
					texts = append(texts, text[:2]+"i3")
				}
			}
			return texts, nil
		}, "kings", 2, []string{"h4i3: there is no square i3: the king on h4 walked over the edge of the board"}},
		{"another notation", func(p *chess.Position) (texts []string, _ error) {
			for _, m := range movegen.Legal(p, nil) {
				texts = append(texts, p.SAN(m))
			}
			return texts, nil
		}, "kings", 2, []string{"is not a move in UCI text"}},
		{"a panic", func(p *chess.Position) ([]string, error) {
			if p.InCheck() {
				return nil, fmt.Errorf("%w: index out of range at mine.go:12", errPanic)
			}
			return right(p), nil
		}, "check", 3, []string{"Moves failed: panic: index out of range at mine.go:12"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			chapter, err := Find(2)
			kit.Succeed(t, err)
			err = Judge(function{moves: c.moves}, chapter, &out)
			text := out.String()
			if err == nil || !strings.Contains(err.Error(), "wrong in "+c.stage) {
				t.Fatalf("%v, want a failure in %s\n%s", err, c.stage, text)
			}
			_, shown, _ := strings.Cut(text, "\n\n")
			fen, _, _ := strings.Cut(shown, "\n")
			if _, err := chess.ParseFEN(fen); err != nil {
				t.Errorf("%q: %v", fen, err)
			}
			placement, _, _ := strings.Cut(fen, " ")
			if n := len(regexp.MustCompile(`[A-Za-z]`).FindAllString(placement, -1)); n > c.pieces {
				t.Errorf("%s: %d pieces, want at most %d", fen, n, c.pieces)
			}
			for _, want := range c.want {
				if !strings.Contains(shown, want) {
					t.Errorf("no %q in\n%s", want, shown)
				}
			}
		})
	}
}

// miscounting counts a move too many after a double step.
func miscounting(p *chess.Position, depth int) (n uint64) {
	if depth == 1 && p.EnPassant() != chess.NoSquare {
		return perft.Walk(p, 1) + 1
	}
	if depth == 0 {
		return 1
	}
	for _, m := range movegen.Legal(p, nil) {
		p.Make(m)
		n += miscounting(p, depth-1)
		p.Unmake()
	}
	return n
}

// TestMiscount counts wrongly after double steps, and in whole trees only.
func TestMiscount(t *testing.T) {
	legal := func(p *chess.Position) ([]string, error) { return right(p), nil }
	inTrees := func(p *chess.Position, depth int) uint64 { return perft.Walk(p, depth) + uint64(depth/3) }
	for _, c := range []struct {
		chapter int
		perft   func(p *chess.Position, depth int) uint64
		want    []string
	}{
		{9, miscounting, []string{"Perft 1 is"}},
		{9, inTrees, []string{"Perft 3 is ", "5. the pawn", "6. what is taken back, and what a table remembers."}},
		{3, inTrees, []string{"Perft 3 is ", "5. the pawn", "6. what is taken back.\n"}},
		{2, inTrees, []string{"Perft 3 is ", "the new piece of a promotion.\n"}},
		{9, slip{"", func(before, after *array.Position, m array.Move) {
			if m.To == 0 || m.From == 0 {
				after.Castling += strings.Trim(before.Castling, "Kkq")
			}
		}}.leaves, []string{"R3K", "After a1", "the castling right Q is gone, because the rook has moved"}},
		{9, slip{"", func(_, after *array.Position, _ array.Move) { after.White = !after.White }}.leaves,
			[]string{"Perft 2 is", "the other side is to move"}},
	} {
		var out bytes.Buffer
		chapter, err := Find(c.chapter)
		kit.Succeed(t, err)
		err = Judge(function{legal, c.perft}, chapter, &out)
		if text := out.String(); strings.Contains(text, "All is right") {
			t.Errorf("all is right although %v", err)
		}
		if err == nil || err.Error() != "wrong counts" {
			t.Errorf("%v, want wrong counts", err)
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %q in\n%s", want, &out)
			}
		}
		if c.chapter == 2 && strings.Contains(out.String(), "  6. ") {
			t.Errorf("chapter 2 takes nothing back\n%s", &out)
		}
	}
}

// TestUncounted judges a subject without Perft: not all is right.
func TestUncounted(t *testing.T) {
	chapter, err := Find(1)
	kit.Succeed(t, err)
	var out bytes.Buffer
	legal := func(p *chess.Position) ([]string, error) { return right(p), nil }
	err = Judge(function{moves: legal}, chapter, &out)
	if text := out.String(); err != nil || strings.Contains(text, "All is right") || !strings.Contains(text, "Not tested: whether Make") {
		t.Errorf("%v\n%s", err, text)
	}
}

// needsGo skips where there is no go command, and short tests, because it builds programs.
func needsGo(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command: ", err)
	}
}

// write writes a package of one file and returns its folder.
func write(t *testing.T, text string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "mine")
	kit.Succeed(t, os.MkdirAll(dir, 0o777))
	kit.Write(t, filepath.Join(dir, "go.mod"), []byte("module mine\n\ngo 1.23\n"))
	kit.Write(t, filepath.Join(dir, "mine.go"), []byte(text))
	return dir
}

// TestPackage judges packages that are built, and such as cannot be.
func TestPackage(t *testing.T) {
	needsGo(t)
	for _, c := range []struct{ name, text, want string }{
		{"a program", "package main\n\nfunc main() {}\n", "is a program"},
		{"no function", "package mine\n\ntype T struct{}\n\nfunc (T) Moves(fen string) []string { return nil }\n", "has no function Moves"},
		{"another type", "package mine\n\nfunc Moves(fen string) string { return fen }\n", "Moves must be func Moves(fen string) []string, not func(fen string) string"},
		{"another Perft", "package mine\n\nfunc Moves(string) []string { return nil }\n\nfunc Perft(fen string) int { return 0 }\n",
			"Perft must be func Perft(fen string, depth int) uint64, not func(fen string) int"},
		{"an error", "package mine\n\nfunc Moves(fen string) []string { return nothing }\n", "undefined: nothing"},
		{"no Go", "hello\n", "expected 'package'"},
	} {
		s, err := StartPackage(t.Context(), write(t, c.text), &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if err == nil {
			s.Close()
		}
	}
	if _, err := StartPackage(t.Context(), filepath.Join(t.TempDir(), "none"), &bytes.Buffer{}); err == nil {
		t.Error("a folder that is not there")
	}
	for _, c := range []struct{ body, want string }{
		{"fmt.Println(\"look\")\n\treturn []string{\"e1e2\"}", `e1e2`},
		{"var none []string\n\treturn none[3:]", "panic: runtime error: slice bounds out of range [3:0] at "},
		{"os.Exit(3)\n\treturn nil", "the program ended"},
		{"for {\n\t}", "no answer within 2s"},
		{"go func() { panic(\"gone\") }()\n\tselect {}", "the program ended: panic: gone"},
	} {
		var said bytes.Buffer
		s, err := StartPackage(t.Context(), write(t, fmt.Sprintf("package mine\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\n"+
			"var _, _ = fmt.Sprint, os.Exit\n\nfunc Moves(fen string) []string {\n\t%s\n}\n", c.body)), &said)
		kit.Succeed(t, err)
		s.(*pkg).patience = 2 * time.Second
		moves, err := s.Moves(chess.NewPosition())
		if text := fmt.Sprint(moves, err); !strings.Contains(text, c.want) {
			t.Errorf("%s: %s, want %q", c.body, text, c.want)
		}
		if s.Close(); strings.Contains(c.body, "look") && said.String() != "look\n" {
			t.Errorf("printed %q", &said)
		}
	}
}

// TestStart writes starter folders, lets their own test fail, puts the solution in and lets it pass.
func TestStart(t *testing.T) {
	needsGo(t)
	for number, c := range map[int]string{2: "func Perft(fen string, depth int) uint64 {", 9: "func Moves(fen string) []string {"} {
		dir := filepath.Join(t.TempDir(), "mine")
		names, err := Start(number, dir)
		kit.Succeed(t, err)
		if source := string(kit.Read(t, filepath.Join(dir, "mine.go"))); len(names) != 6 || !strings.Contains(source, c) {
			t.Errorf("chapter %d: %v\n%s", number, names, source)
		}
		if out, err := goTool(t.Context(), dir, "vet", "."); err != nil {
			t.Errorf("%s%v", out, err)
		}
		run := func() (string, error) {
			cmd := exec.CommandContext(t.Context(), "go", "test", ".")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
			out, err := cmd.CombinedOutput()
			return string(out), err
		}
		if out, err := run(); err == nil || !strings.Contains(out, "is missing") {
			t.Errorf("the empty function: %v\n%s", err, out)
		}
		if _, err := Start(number, dir); err == nil || !strings.Contains(err.Error(), "is not replaced") {
			t.Errorf("a second time: %v", err)
		}
		solution := strings.Replace(string(kit.Read(t, "../../examples/course/array/array.go")), "package array", "package mine", 1)
		kit.Write(t, filepath.Join(dir, "mine.go"), []byte(solution))
		if out, err := run(); err != nil {
			t.Errorf("the solution: %v\n%s", err, out)
		}
		s, err := StartPackage(t.Context(), dir, &bytes.Buffer{})
		kit.Succeed(t, err)
		chapter, err := Find(number)
		kit.Succeed(t, err)
		var out bytes.Buffer
		if err := Judge(s, chapter, &out); err != nil || !strings.Contains(out.String(), "right  counts") {
			t.Errorf("%v\n%s", err, &out)
		}
		s.Close()
	}
	for _, number := range []int{0, len(course.Chapters()) + 1} {
		if _, err := Start(number, filepath.Join(t.TempDir(), "mine")); err == nil {
			t.Errorf("chapter %d", number)
		}
	}
}

// TestNames starts folders whose names make no package, each with its reason, and some that look as if they did not.
func TestNames(t *testing.T) {
	want := map[string]string{
		"12": "begins with a digit", "2nd": "begins with a digit", "my-folder": "'-' is neither", "my folder": "' ' is neither",
		"my.folder": "'.' is neither", "übung": "'ü' is neither", "main": "is a program", "Main": "is a program", "_": "begins with _",
		"_mine": "begins with _", "mine_test": "ends in _test", "mine_linux": "ends in _linux", "mine_amd64": "ends in _amd64",
		"mine_windows": "ends in _windows", "init": "by itself", "documentation": "ignores", "vendor": "ignores", "testdata": "ignores",
		"fen": "fen.go is", "con": "Windows", "COM1": "Windows", "Type": "keyword",
	}
	for word := token.BREAK; word <= token.VAR; word++ {
		want[word.String()] = "it is a keyword of Go"
	}
	for _, name := range types.Universe.Names() {
		want[name] = "Go has declared it"
	}
	for name, reason := range want {
		dir := filepath.Join(t.TempDir(), name)
		_, err := Start(1, dir)
		if err == nil || !strings.Contains(err.Error(), strconv.Quote(name)) || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v, want %q", name, err, reason)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s is made although it is refused", name)
		}
	}
	needsGo(t)
	for _, name := range []string{"bytes", "fmt", "std", "internal", "linux", "c", "my_generator2"} {
		dir := filepath.Join(t.TempDir(), name)
		_, err := Start(1, dir)
		kit.Succeed(t, err)
		s, err := StartPackage(t.Context(), dir, &bytes.Buffer{})
		kit.Succeed(t, err)
		if moves, err := s.Moves(chess.NewPosition()); err != nil || len(moves) != 0 {
			t.Errorf("%s: %v, %v", name, moves, err)
		}
		s.Close()
	}
}

// TestModules starts folders in modules: in Tabula's own nothing is written, and elsewhere no go.mod.
func TestModules(t *testing.T) {
	for _, c := range []struct{ mod, want string }{
		{"module " + tabula + "\n", "want a folder outside, such as " + filepath.Join("..", "mine")},
		{"// A comment.\nmodule \"" + tabula + "/farm\" // and one more\n", "want a folder outside"},
		{"module example.org/chess\n", ""},
		{"module " + tabula + "z\n", ""},
		{"go 1.26\n", ""},
	} {
		root := t.TempDir()
		kit.Write(t, filepath.Join(root, "go.mod"), []byte(c.mod))
		names, err := Start(1, filepath.Join(root, "deep", "mine"))
		switch {
		case c.want == "":
			if err != nil || len(names) != 5 {
				t.Errorf("%q: %v, %v", c.mod, names, err)
			}
		case err == nil || !strings.Contains(err.Error(), c.want):
			t.Errorf("%q: %v, want %q", c.mod, err, c.want)
		default:
			if _, err := os.Stat(filepath.Join(root, "deep")); err == nil {
				t.Errorf("%q: a folder is made although it is refused", c.mod)
			}
		}
	}
}
