package command

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// fakeTerminal is a terminal with a number of columns.
type fakeTerminal struct {
	io.Writer
	columns int
}

func (t fakeTerminal) Size() (width, height int) { return t.columns, 24 }

func TestLine(t *testing.T) {
	const text = "59489 positions, 51088 positions/s, 678 games (+287 =123 -268)"
	for _, tt := range []struct {
		width       int
		text        string
		done, total int64
		left        time.Duration
		want        string
	}{
		{79, text, 25, 100, 3 * time.Minute, text + "  25% 3m00s left"},
		{100, text, 25, 100, 3 * time.Minute, text + " █████░░░░░░░░░░░░░░░░  25% 3m00s left"},
		{60, text, 25, 100, -1, "59489 positions, 51088 positions/s █████░░░░░░░░░░░░░░░  25%"},
		{39, text, 25, 100, 3 * time.Minute, "59489 positions  25% 3m00s left"},
		{39, text, 7, -1, -1, "59489 positions, 51088 positions/s"},
		{20, text, 100, 100, 0, "59489 p 100% 0s left"},
		{5, text, 100, 100, 0, " 100%"},
		{0, text, 100, 100, 0, ""},
		{30, "a", 0, 10, -1, "a ░░░░░░░░░░░░░░░░░░░░░░░   0%"},
		{30, "ä, b", 20, 10, -1, "ä, b ████████████████████ 100%"},
	} {
		got := line(tt.width, tt.text, tt.done, tt.total, tt.left)
		if got != tt.want || utf8.RuneCountInString(got) > max(0, tt.width) {
			t.Errorf("width %d, %d of %d: %q, want %q", tt.width, tt.done, tt.total, got, tt.want)
		}
	}
}

// TestFits draws bars with ever larger numbers on terminals of many widths: no
// line is as wide as the terminal, and each covers the one before.
func TestFits(t *testing.T) {
	for _, width := range []int{1, 10, 40, 80, 132} {
		var out bytes.Buffer
		now := time.Unix(0, 0)
		b := NewBar(io.Discard, 10000, "datagen")
		b.screen, b.now, b.began = NewScreen(fakeTerminal{&out, width}), func() time.Time { return now }, now
		for n := 1; n < math.MaxInt/10; n *= 3 {
			now = now.Add(time.Hour)
			b.Describe(strings.Repeat("9", len(time.Duration(n).String())) + " positions, 51088 positions/s, more, and more, and more, and more")
			b.Set(n % 10000)
		}
		b.Close()
		if strings.Contains(out.String(), "\n") {
			t.Errorf("width %d: a new line", width)
		}
		for _, drawn := range strings.Split(out.String(), "\r") {
			if n := utf8.RuneCountInString(drawn); n >= max(width, 1) {
				t.Errorf("width %d: %d columns: %q", width, n, drawn)
			}
		}
	}
}

// TestRedraw counts drawings: not more than one in redraw, none without a
// terminal.
func TestRedraw(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(100, 0)
	b := NewBar(&out, 100, "x")
	b.now = func() time.Time { return now }
	b.Add(1)
	b.Close()
	if out.Len() > 0 {
		t.Errorf("without a terminal %q", &out)
	}
	b.screen = NewScreen(fakeTerminal{&out, 40})
	for range 100 {
		b.Add(1)
		now = now.Add(redraw / 10)
	}
	if n := strings.Count(out.String(), "\r"); n != 10 {
		t.Errorf("%d drawings, want 10", n)
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 59 * time.Second: "59s", 61 * time.Second: "1m01s", 25 * time.Hour: "1d01h",
		3*time.Hour + 2*time.Minute: "3h02m", 200 * 24 * time.Hour: "200d", math.MaxInt64: "99999d",
	} {
		if got := short(d); got != want {
			t.Errorf("%d ns: %q, want %q", d, got, want)
		}
	}
}

// TestShow prints a line with the remaining time each minute where there is no terminal.
func TestShow(t *testing.T) {
	var out bytes.Buffer
	b := NewBar(&out, 300, "")
	for second := range 300 {
		b.now = func() time.Time { return b.began.Add(time.Duration(second) * time.Second) }
		b.Show(second, fmt.Sprint(second))
	}
	if out.String() != "60, 4m00s left\n120, 3m00s left\n180, 2m00s left\n240, 1m00s left\n" {
		t.Errorf("%q", &out)
	}
}

// TestWrite shows the progress of a reader whose bytes are the steps, with a terminal and without.
func TestWrite(t *testing.T) {
	for terminal, want := range map[bool]string{true: "\rno game ███████░░░░░░░░  50% 1m20s left\r", false: "no game, 40s left\n"} {
		var out bytes.Buffer
		b := NewBar(&out, 4000, "no game")
		if terminal {
			b.screen = NewScreen(fakeTerminal{&out, 40})
		}
		began, reads := b.began, 0
		b.now = func() time.Time { return began.Add(time.Duration(reads) * 40 * time.Second) }
		in := io.TeeReader(strings.NewReader(strings.Repeat("1 ", 2000)), b)
		for buf := make([]byte, 1000); ; reads++ {
			if _, err := in.Read(buf); err != nil {
				break
			}
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("terminal %v: %q, want %q", terminal, &out, want)
		}
	}
}
