package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/bench/oracle"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/files/filestest"
)

// positionLines returns the first n lines that are no comments.
func positionLines(text string, n int) string {
	var lines []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") && len(lines) < n {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// TestGenerateSuite makes the beginning of the committed suites again.
func TestGenerateSuite(t *testing.T) {
	_, missing := oracle.Find("stockfish")
	for _, c := range []struct {
		name string
		args []string
	}{
		{"random.epd", nil},
		{"chess960.epd", []string{"--chess960", "--engine", "stockfish"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if len(c.args) > 0 && missing != nil {
				t.Skip("needs Stockfish: ", missing)
			}
			committed := filestest.Read(t, filepath.Join("..", "..", "movegen", "testdata", c.name))
			n := 5
			if testing.Short() {
				n = 2
			}
			args := append([]string{"generate-suite", "--seed", "1", "--positions", "5"}, c.args...)
			if testing.Short() {
				args = append(args, "--depth", "2")
			}
			out, errOut, code := call(t, args...)
			got, want := positionLines(out, n), positionLines(string(committed), n)
			if testing.Short() {
				got, want = twoCounts(got), twoCounts(want)
			}
			if code != 0 || got != want || got == "" {
				t.Errorf("exit code %d\n%swant\n%s%s", code, got, want, errOut)
			}
		})
	}
}

// twoCounts cuts each line after the count of depth 2.
func twoCounts(text string) string {
	var sb strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " ;D3")
		sb.WriteString(line + "\n")
	}
	return sb.String()
}

func TestGenerateSuiteFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "suite.epd")
	if out, errOut, code := call(t, "generate-suite", "--positions", "3", "--seed", "9", "--depth", "2", "--out", name); code != 0 || out != "" {
		t.Fatalf("exit code %d\n%s%s", code, out, errOut)
	}
	text, err := os.ReadFile(name)
	if err != nil || !strings.Contains(string(text), "# go run ./bench generate-suite --positions 3 --seed 9 --depth 2 --out ") {
		t.Errorf("%v\n%s", err, text)
	}
	if out, errOut, code := call(t, "suite", name); code != 0 || out != "3 passed, 0 failed\n" {
		t.Errorf("exit code %d\n%s%s", code, out, errOut)
	}
}

func TestGenerateSuiteRefused(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--chess960"}, command.Usage, "give an --engine"},
		{[]string{"--positions", "0"}, command.Usage, "positions: 0"},
		{[]string{"--depth", "0"}, command.Usage, "depth: 0"},
		{[]string{"--out", filepath.Join(t.TempDir(), "none", "file")}, command.Usage, "none"},
		{[]string{"extra"}, command.Usage, "unexpected argument"},
	} {
		_, errOut, code := call(t, append([]string{"generate-suite"}, c.args...)...)
		if code != c.code || !strings.Contains(errOut, c.want) {
			t.Errorf("generate-suite %v: exit code %d, %q, want %d and %q", c.args, code, errOut, c.code, c.want)
		}
	}
}
