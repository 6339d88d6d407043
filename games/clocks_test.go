package games

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/test/kit"
)

// clocksText returns the comments of the moves of all games in order.
func clocksText(t *testing.T, db *DB) (all []string) {
	t.Helper()
	for f, err := range db.Find(t.Context(), Query{}) {
		kit.Succeed(t, err)
		g, err := f.Game()
		kit.Succeed(t, err)
		var words []string
		for i := range g.Main.Moves {
			words = append(words, strings.Join(g.Main.Moves[i].Comments, "+"))
		}
		all = append(all, strings.Join(words, "|"))
	}
	return all
}

// TestClocks: the database keeps clocks and elapsed times of each move, and no other comment, through merges and
// checks.
func TestClocks(t *testing.T) {
	d := disk(t.TempDir())
	db := begin(t, d)
	defer db.Close()
	texts := []string{
		"1. e4 {[%eval 0.3] [%clk 0:03:00] good} e5 {[%clk 0:02:59.9]} 2. d4 d5 {[%clk 0:00:00]} *",
		"1. c4 {no clock} c5 *",
		"1. e4 {[%emt 0:00:05]} c5 {[%clk 1048575:59:59.999] [%emt 75]} 2. Nf3 {[%emt 0:00:00.001]} *",
		"[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 1\"]\n\n1... Kd7 {[%clk 0:01:00]} 2. e3 {[%clk 0:00:30]} Kd6 {[%clk soon]} *",
	}
	want := []string{
		"[%clk 0:03:00]|[%clk 0:02:59.9]||[%clk 0:00:00]", "|",
		"[%emt 0:00:05]|[%clk 1048575:59:59.999] [%emt 0:01:15]|[%emt 0:00:00.001]", "[%clk 0:01:00]|[%clk 0:00:30]|",
	}
	for i, text := range texts {
		mustImport(t, db, fmt.Sprint(i), fmt.Sprintf("[Event \"%d\"]\n%s", i, text))
	}
	kit.Succeed(t, db.Compact(t.Context(), func(int) {}))
	if d := cmp.Diff(want, clocksText(t, db)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	kit.Succeed(t, db.Check(t.Context(), func(int) {}))
	if done := mustImport(t, db, "again", "[Event \"0\"]\n1. e4 e5 2. d4 d5 *\n\n[Event \"1\"]\n1. c4 {[%clk 0:00:01]} c5 *"); done.Repeated != 2 {
		t.Errorf("clocks make no other game: %+v", done)
	}
}

// TestRandomClocks: what is written is what is read, and other bytes never panic.
func TestRandomClocks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		g := &pgn.Game{Main: pgn.Line{Moves: make([]pgn.Node, r.IntN(20))}}
		for i := range g.Main.Moves {
			c := pgn.Comment{}
			if r.IntN(3) > 0 {
				c.Clock = new(time.Duration(r.Int64N(1<<r.IntN(40))) * time.Millisecond)
			}
			if r.IntN(3) == 0 {
				c.Elapsed = new(time.Duration(r.Int64N(1<<20)) * time.Millisecond)
			}
			g.Main.Moves[i].SetComment(c)
		}
		data, _ := clocksOf(g)
		back := &pgn.Game{Main: pgn.Line{Moves: make([]pgn.Node, len(g.Main.Moves))}}
		if err := readClocks(data, back); err != nil || !cmp.Equal(g.Main, back.Main) {
			t.Fatalf("%v\n%s", err, cmp.Diff(g.Main, back.Main))
		}
		if len(data) > 0 {
			if readClocks(data[:len(data)-1], back) == nil || readClocks(append(data, 0), back) == nil {
				t.Errorf("%x is read though it is cut or too long", data)
			}
			data[r.IntN(len(data))] ^= byte(1 + r.IntN(255))
			_ = readClocks(data, back)
		}
	}
}

// TestOddClocks: times in other forms are stored, and those that cannot be read are named.
func TestOddClocks(t *testing.T) {
	db, err := Update(filepath.Join(t.TempDir(), "db"))
	kit.Succeed(t, err)
	defer db.Close()
	const text = "[Event \"a\"]\n1. e4 {[%clk 1:59]} e5 {[%clk 01:59]} 2. d4 {[%clk 0:09:58.1234]} d5 {[%emt 1:30.5]} *\n\n" +
		"[Event \"b\"]\n1. e4 {[%clk soon]} e5 {[%clk 0:00:02] [%clk 0:00:01] [%eval x]} 2. d4 {[%emt -1]} *\n"
	var warnings []string
	warn := func(err error) { warnings = append(warnings, err.Error()) }
	done, err := db.Import(t.Context(), Source{Name: "f", PGN: strings.NewReader(text), Warn: warn})
	kit.Succeed(t, err)
	want := []string{"f: game 2: the time [%clk soon] cannot be read and is not stored (and 2 more)"}
	if !cmp.Equal(warnings, want) || done.Warned != 1 || done.Games != 2 {
		t.Errorf("%+v, %q, want %q", done, warnings, want)
	}
	stored := []string{"[%clk 0:01:59]|[%clk 0:01:59]|[%clk 0:09:58.123]|[%emt 0:01:30.5]", "|[%clk 0:00:02]|"}
	if got := clocksText(t, db); !cmp.Equal(got, stored) {
		t.Errorf("%q, want %q", got, stored)
	}
}

// TestLongClocks: clocks that take more than there is room for are not stored, with a warning that names the game.
func TestLongClocks(t *testing.T) {
	var long strings.Builder
	long.WriteString("[Event \"long\"]\n")
	for i := range 8000 {
		fmt.Fprintf(&long, "Nf3 {[%%clk %d:00:00] [%%emt %d]} Nf6 {[%%clk %[1]d:00:00]} Ng1 {[%%clk %[2]d:00:00]} Ng8 {[%%clk %[2]d:00:00]}\n", i%2*1048575, i%3*100000)
	}
	long.WriteString("*\n\n[Event \"short\"]\n1. e4 {[%clk 0:00:01]} *\n")
	db, err := Update(filepath.Join(t.TempDir(), "db"))
	kit.Succeed(t, err)
	defer db.Close()
	var warnings []string
	done, err := db.Import(t.Context(), Source{Name: "f", PGN: strings.NewReader("[Event \"first\"]\n1. d4 *\n\n" + long.String()), Warn: func(err error) { warnings = append(warnings, err.Error()) }})
	kit.Succeed(t, err)
	if want := []string{"f: game 2: its clocks take more than 96 KiB and are not stored"}; !cmp.Equal(warnings, want) || done.Warned != 1 || done.Games != 3 {
		t.Errorf("%+v, %q, want %q", done, warnings, want)
	}
	if got := clocksText(t, db); strings.Trim(got[1], "|") != "" || got[2] != "[%clk 0:00:01]" {
		t.Errorf("of the long game %.50q, of the other %q", got[1], got[2])
	}
}
