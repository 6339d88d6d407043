package match

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/train/traintest"
	"github.com/tabula-chess/tabula/work"
)

// call runs the command with a line of arguments.
func call(t *testing.T, args ...string) (out, errOut string, code int) {
	t.Helper()
	var o, e strings.Builder
	program := &cli.Command{Name: "train", Writer: &o, ErrWriter: &e, Commands: []*cli.Command{Command().Local()}}
	code = command.Run(t.Context(), program, append([]string{"train", "match", "--threads", "1", "--hash", "1"}, args...))
	return o.String(), e.String(), code
}

// TestSide reads players: options of a program have no case, so that its strength is limited however it is written.
func TestSide(t *testing.T) {
	file := filepath.Join(t.TempDir(), "exec:net.nn")
	kit.Write(t, file, weak(t))
	t.Chdir(filepath.Dir(file))
	for text, want := range map[string]Side{
		"embedded":      {Name: "embedded"},
		"./exec:net.nn": {Name: "exec:net.nn", Network: 1},
		"embedded,UCI_Elo=800,LMRBase=9": {
			Name: "embedded,LMRBase=9,UCI_Elo=800", Elo: 800, Params: map[string]int{"LMRBase": 9},
		},
		"exec:/bin/engine a b,uci_elo=1800,Ponder=false": {
			Name: "engine,Ponder=false,uci_elo=1800", Command: []string{"/bin/engine", "a", "b"},
			Options: map[string]string{"uci_elo": "1800", "UCI_LimitStrength": "true", "Ponder": "false"},
		},
	} {
		var in work.Files
		s, err := short().side(t.Context(), text, &in)
		if err != nil || fmt.Sprint(s) != fmt.Sprint(want) || len(in) != want.Network {
			t.Errorf("%s: %+v, %v; want %+v", text, s, err, want)
		}
		if s.Limited() != strings.Contains(strings.ToUpper(text), "UCI_ELO") {
			t.Errorf("%s: limited %v", text, s.Limited())
		}
	}
}

// TestRules: a limited strength plays to the end, and nobody searches more nodes than another may.
func TestRules(t *testing.T) {
	m := short()
	if r := m.rules(); r.Soft || r.ToTheEnd {
		t.Errorf("%+v", r)
	}
	m.Players[1] = Side{Command: []string{"x"}}
	if r := m.rules(); r.Soft || r.ToTheEnd {
		t.Errorf("with a program: %+v", r)
	}
	m.Players[0].Elo = 800
	if r := m.rules(); r.Soft || !r.ToTheEnd {
		t.Errorf("with a limited strength: %+v", r)
	}
}

// TestTask: a program's clock has a margin, and the search is a part of the run where it decides openings or moves.
func TestTask(t *testing.T) {
	book := filepath.Join(t.TempDir(), "book.fen")
	kit.Write(t, book, []byte(chess.StartFEN+"\n"))
	for _, tt := range []struct {
		args   string
		margin time.Duration
		search bool
	}{
		{"--tc 1+1 exec:a embedded", programMargin, true},
		{"--tc 1+1 embedded embedded", 0, true},
		{"--tc 1+1 --node-time 100 exec:a exec:b", 0, true},
		{"--nodes 5 exec:a exec:b", 0, true},
		{"--nodes 5 --pairs 1 --openings " + book + " exec:a exec:b", 0, false},
		{"--nodes 5 --pairs 1 --openings " + book + " exec:a embedded,UCI_Elo=800", 0, true},
	} {
		k, m := Command(), (*Match)(nil)
		c := &cli.Command{Name: "match", Flags: k.Flags, Action: func(ctx context.Context, cmd *cli.Command) error {
			task, err := k.Task(ctx, cmd, work.Env{})
			if err == nil && (task.Search != nil) != tt.search {
				t.Errorf("%s: the search is a part of the run: %v", tt.args, !tt.search)
			}
			m = task.Kind.(*Match)
			return err
		}}
		kit.Succeed(t, c.Run(t.Context(), append([]string{"match"}, strings.Fields(tt.args)...)))
		if m.Margin != tt.margin {
			t.Errorf("%s: a margin of %v, want %v", tt.args, m.Margin, tt.margin)
		}
	}
}

// TestCommits plays two commits of a repository, whose engines are this test, and writes the games. Given again, the
// command plays nothing.
func TestCommits(t *testing.T) {
	engine := traintest.Command(t, "none")
	source := func(bench int) string {
		return fmt.Sprintf(`package main

import (
	"fmt"
	"os"
	"os/exec"
)

func main() {
	if len(os.Args) > 1 {
		fmt.Println("%d nodes 12 nps")
		return
	}
	c := exec.Command(%q, %q, %q)
	c.Stdin, c.Stdout = os.Stdin, os.Stdout
	if c.Run() != nil {
		os.Exit(1)
	}
}
`, bench, engine[0], engine[1], engine[2])
	}
	repo := repository(t, map[string]string{"go.mod": "module example\n\ngo 1.21\n", "main.go": source(1)})
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	kit.Succeed(t, err)
	t.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, t.TempDir())
	}
	t.Chdir(repo)
	kit.Write(t, "main.go", []byte(source(2)))
	git(t, repo, "commit", "-qam", "y")
	games, state := filepath.Join(t.TempDir(), "games.pgn"), filepath.Join(t.TempDir(), "state")
	args := []string{"--nodes", "50", "--pairs", "1", "--pgn", games, "--state", state, "commit:HEAD~1",
		"commit:HEAD,Ponder=false"}
	out, errOut, code := call(t, args...)
	if code != 0 || !strings.HasSuffix(out, "Ptnml(0-2): 0, 0, 1, 0, 0\n") ||
		strings.Count(errOut, "building the engine of commit ") != 2 {
		t.Fatalf("exit code %d\n%s%s", code, out, errOut)
	}
	whole := kit.Read(t, games)
	names := regexp.MustCompile(`^[0-9a-f]{10} - [0-9a-f]{10},Ponder=false$`)
	for g, err := range pgn.NewReader(strings.NewReader(string(whole))).Games() {
		if err != nil || !names.MatchString(g.Tag("Event")) || g.Result == chess.NoResult {
			t.Errorf("%v, tags %v", err, g.Tags)
		}
	}
	again, errOut, code := call(t, args...)
	if code != 0 || again != out || errOut != "" || string(kit.Read(t, games)) != string(whole) {
		t.Errorf("again: exit code %d\n%s%s", code, again, errOut)
	}
	for want, args := range map[string][]string{
		`commit "nothing"`:                           {"commit:nothing", "embedded"},
		`commit "--help": want the name of a commit`: {"commit:--help", "embedded"},
		games + " exists and is not of this run":     {"--nodes", "4", "--pairs", "1", "--pgn", games, "commit:HEAD", "embedded"},
		"--pgn: ":                                    {"--pgn", repo, "embedded", "embedded"},
		"want another file than --state":             {"--pgn", "./same", "--state", "same", "embedded", "embedded"},
		"want a program after exec:":                 {"commit:HEAD", "exec:"},
	} {
		if _, errOut, code := call(t, args...); code == 0 || !strings.Contains(errOut, want) {
			t.Errorf("%v: exit code %d, %q; want %q", args, code, errOut, want)
		}
	}
	text, name, err := Archive(t.Context(), repo, "HEAD")
	kit.Succeed(t, err)
	m := short()
	m.engines.Dir = t.TempDir()
	m.Players[1] = Side{Commit: name, Source: 1, Bench: 3}
	err = playIn(t.Context(), "", m, 1, text)
	if err == nil || !strings.Contains(err.Error(), "its bench visits 2 nodes here") {
		t.Errorf("another bench: %v", err)
	}
}

// git runs git in a folder.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	all := append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@t"}, args...)
	if out, err := exec.Command("git", all...).CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// TestProgramChanged: a match with a program is not continued with another one of its name.
func TestProgramChanged(t *testing.T) {
	command := traintest.Command(t, "none")
	script, state := filepath.Join(t.TempDir(), "engine.sh"), filepath.Join(t.TempDir(), "state")
	write := func(more string) {
		kit.Write(t, script, []byte("#!/bin/sh\n"+more+"exec "+strings.Join(command, " ")+"\n"))
		kit.Succeed(t, os.Chmod(script, 0o755))
	}
	if runtime.GOOS == "windows" {
		t.Skip("it runs no script by its first line")
	}
	write("")
	args := func(pairs string) []string {
		return []string{"--nodes", "20", "--pairs", pairs, "--state", state, "exec:" + script, "embedded"}
	}
	if _, errOut, code := call(t, args("1")...); code != 0 {
		t.Fatal(errOut)
	}
	write("# another\n")
	if _, errOut, code := call(t, args("2")...); code == 0 || !strings.Contains(errOut, "with other settings: Players") {
		t.Errorf("exit code %d, %q", code, errOut)
	}
}
