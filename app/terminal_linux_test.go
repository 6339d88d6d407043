package app

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/tabula-chess/tabula/internal/version"
	"github.com/tabula-chess/tabula/test/kit"
)

// pty is a pseudo-terminal with what a program has written to it.
type pty struct {
	width, height int
	master, slave *os.File

	mu   sync.Mutex
	text []byte
}

// openTerminal opens a pseudo-terminal. Source: pty(7), ioctl_tty(2).
func openTerminal(t *testing.T, width, height int) *pty {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("needs pseudo-terminals: ", err)
	}
	control := func(f *os.File, request uintptr, argument unsafe.Pointer) {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(argument)); errno != 0 {
			t.Fatal(errno)
		}
	}
	var number, locked int32
	control(master, syscall.TIOCSPTLCK, unsafe.Pointer(&locked))
	control(master, syscall.TIOCGPTN, unsafe.Pointer(&number))
	slave, err := os.OpenFile("/dev/pts/"+strconv.Itoa(int(number)), os.O_RDWR|syscall.O_NOCTTY, 0)
	kit.Succeed(t, err)
	size := [4]uint16{uint16(height), uint16(width)}
	control(slave, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	term := &pty{width: width, height: height, master: master, slave: slave}
	t.Cleanup(func() { _, _ = master.Close(), slave.Close() })
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			term.mu.Lock()
			term.text = append(term.text, buf[:n]...)
			term.mu.Unlock()
			if err != nil {
				return // the test has ended
			}
		}
	}()
	return term
}

func (term *pty) written() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return string(term.text)
}

// await waits until text has been written times times.
func (term *pty) await(t *testing.T, text string, times int) {
	t.Helper()
	for began := time.Now(); strings.Count(term.written(), text) < times; time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("no %q (%d.) in %q", text, times, term.written())
		}
	}
}

// run runs the program on a terminal of the kind that name says, typing lines whenever it has asked for one by
// prompt, and returns all that it wrote.
func (term *pty) run(t *testing.T, name, prompt string, lines []string, args ...string) string {
	t.Helper()
	vars := map[string]string{"TERM": name}
	if kind, ok := strings.CutSuffix(name, " without colors"); ok {
		vars = map[string]string{"TERM": kind, "NO_COLOR": "1"}
	}
	env := func(key string) string { return vars[key] }
	code := make(chan int, 1)
	go func() { code <- Main(t.Context(), args, env, term.slave, term.slave, term.slave) }()
	for i, line := range lines {
		term.await(t, prompt, i+1)
		if _, err := io.WriteString(term.master, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	if got := <-code; got != 0 {
		t.Errorf("exit code %d: %q", got, term.written())
	}
	const end = "\x00end"
	if _, err := io.WriteString(term.slave, end); err != nil {
		t.Fatal(err)
	}
	term.await(t, end, 1)
	return strings.TrimSuffix(term.written(), end)
}

// screen returns the lines that are to be seen after a text, as ECMA-48 has them shown.
// It knows the sequences that the program uses and fails with others.
func (term *pty) screen(t *testing.T, text string) []string {
	t.Helper()
	rows := make([][]rune, term.height)
	row, column := 0, 0
	feed := func() {
		if row++; row == term.height {
			copy(rows, rows[1:])
			row--
			rows[row] = nil
		}
	}
	wraps := true
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case c == '\r':
			column = 0
		case c == '\n':
			feed()
		case c == '\x1b':
			end := i + 1 + strings.IndexFunc(text[i+1:], func(r rune) bool { return r >= '@' && r != '[' })
			rest := text[i+2 : end]
			n, _ := strconv.Atoi(rest)
			switch {
			case text[end] == 'A':
				row = max(0, row-max(1, n))
			case text[end] == 'K' && n == 0:
				rows[row] = rows[row][:min(column, len(rows[row]))]
			case text[end] == 'J' && n == 0:
				rows[row] = rows[row][:min(column, len(rows[row]))]
				for below := row + 1; below < term.height; below++ {
					rows[below] = nil
				}
			case rest == "?7":
				wraps = text[end] == 'h'
			case text[end] == 'm', rest == "?25", rest == "?2026":
			default:
				t.Fatalf("unknown sequence %q", text[i:end+1])
			}
			size = end + 1 - i
		default:
			if column == term.width && wraps {
				column = 0
				feed()
			}
			column = min(column, term.width-1)
			for len(rows[row]) <= column {
				rows[row] = append(rows[row], ' ')
			}
			rows[row][column] = c
			column++
		}
		i += size
	}
	out := make([]string, term.height)
	for i, r := range rows {
		out[i] = strings.TrimRight(string(r), " ")
	}
	return out
}

// game writes a PGN file and returns its name.
func game(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "game.pgn")
	kit.Write(t, name, []byte("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n"))
	return name
}

// shows checks that all of want is to be seen after a text.
func (term *pty) shows(t *testing.T, text string, want []string) {
	t.Helper()
	screen := strings.Join(term.screen(t, text), "\n")
	for _, w := range want {
		if !strings.Contains(screen, w) {
			t.Errorf("no %q on the screen:\n%s", w, screen)
		}
	}
}

// TestTerminals runs the displays on terminals of several sizes: the last lines are to
// be seen, and a dumb terminal gets nothing but text.
func TestTerminals(t *testing.T) {
	type display struct {
		name   string
		args   []string
		prompt string
		lines  []string
		asked  []string // on the screen when it asks for the last line
		want   []string // and at the end
		live   bool     // draws over what it has drawn
	}
	displays := []display{
		{
			name: "analyse", args: []string{"analyse", "--depth", "9", "--multipv", "3", "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"},
			want: []string{"est move"}, live: true,
		},
		{
			name: "play", args: []string{"play", "--nodes", "200"}, prompt: "white to move: ", lines: []string{"e4", "hint", "a3", "resign"},
			asked: []string{" plays 2... ", "white to move:"},
			want:  []string{"1. e4 ", "0-1: white resigns"},
		},
		{
			name: "annotate", args: []string{"annotate", "--nodes", "20000", "--threads", "1", game(t)},
			want: []string{"Qxf7# 1-0"},
		},
	}
	for _, d := range displays {
		for _, size := range [][2]int{{80, 24}, {40, 10}} {
			width, height := size[0], size[1]
			for _, name := range []string{"dumb", "xterm", "xterm without colors"} {
				t.Run(fmt.Sprintf("%s %dx%d %s", d.name, width, height, name), func(t *testing.T) {
					term := openTerminal(t, width, height)
					text := term.run(t, name, d.prompt, d.lines, d.args...)
					if name == "dumb" && strings.ContainsAny(text, "\x1b\a\b") {
						t.Errorf("a dumb terminal gets %q", text)
					}
					for sequence, want := range map[string]bool{
						"\x1b[38;5;":  name == "xterm" && d.name != "annotate", // a colour
						"\x1b[?2026h": name != "dumb" && d.live,
					} {
						if strings.Contains(text, sequence) != want {
							t.Errorf("%q: want %v, got %q", sequence, want, text)
						}
					}
					term.shows(t, text, d.want)
					if d.prompt != "" {
						term.shows(t, text[:strings.LastIndex(text, d.prompt)+len(d.prompt)], d.asked)
					}
				})
			}
		}
	}
}

// TestAwaited: a person who types the input is told in one line what is awaited.
func TestAwaited(t *testing.T) {
	db := filepath.Join(t.TempDir(), "db")
	for _, tt := range []struct{ args, line, end string }{
		{"", "Tabula " + version.Number + " reads UCI commands: help lists them, quit ends", "quit"},
		{"tb", "tb reads FENs, one per line, until Ctrl-D", "\x04"},
		{"annotate -", "annotate reads PGN until Ctrl-D", "\x04"},
		{"board", "board reads JSON messages", "\x04"},
		{"games --db " + db + " import -", "games import reads PGN until Ctrl-D", "\x04"},
		{"mcp", "mcp reads JSON-RPC until Ctrl-D", "\x04"},
	} {
		text := openTerminal(t, 200, 24).run(t, "xterm", " reads ", []string{tt.end}, strings.Fields(tt.args)...)
		if !strings.Contains(text, tt.line) || strings.Count(text, " reads ") != 1 {
			t.Errorf("tabula %s writes %q, want one line with %q", tt.args, text, tt.line)
		}
		if _, errOut, _ := call(t, nil, "", strings.Fields(tt.args)...); strings.Contains(errOut, " reads ") {
			t.Errorf("tabula %s says without a terminal: %q", tt.args, errOut)
		}
	}
}
