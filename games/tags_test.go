package games

import (
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/test/kit"
)

// oddTags are tags as programs and people write them.
func oddTags(t *rapid.T) []pgn.Tag {
	values := map[string][]string{
		"Event": {"", "?", "Open", strings.Repeat("é", 200), strings.Repeat("x", 5000)}, "Site": {"", "?", "Here"}, "Round": {"?", "1", "1.2", "-"},
		"White": {"", "?", "A", "B, \"Bo\"", "Müller\\"}, "Black": {"", "A", "C"}, "TimeControl": {"", "-", "?", "300+3"},
		"Date":    {"", "?", "2011", "2011.??", "2023-05-06", "2023.5.6", "2023.05.06", "0000.00.00", "????.??.??", "2023.13.45", "6.5.2023"},
		"UTCDate": {"", "2023.05.06", "2015.03.05"}, "WhiteElo": {"", "0", "?", "2400", "02400", "+2100", "1500?", " 2400 ", "99999", "-5"},
		"BlackElo": {"2000", "-"}, "Result": {"", "*", "?", "1-0", "0-1", "1/2", "1/2-1/2", "+/-", "½-½"}, "SetUp": {"", "0", "1"},
		"FEN":     {"", "4k3/8/8/8/8/8/4P3/4K3 w - -", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "r3k2r/8/8/8/8/8/4P3/R3K2R w kqKQ - 0 1", chess.StartFEN, "1k5r/8/8/8/8/8/4P3/R3K3 w A - 0 1", "4k3/8/8/8/8/8/4P3/1R2K3 w B - 0 1"},
		"Variant": {"", "Standard", "Chess960"}, "Odd": {"", "a", "b"},
	}
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range values {
			if !yield(name) {
				return
			}
		}
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) pgn.Tag {
		name := rapid.SampledFrom(names).Draw(t, "name")
		return pgn.Tag{Name: name, Value: rapid.OneOf(rapid.SampledFrom(values[name]), rapid.StringN(0, 20, -1)).Draw(t, "value")}
	}), 0, 12).Draw(t, "tags")
}

// oddGame returns a game with odd tags, as a reader returns it, and its text.
func oddGame(t *rapid.T) (string, *pgn.Game) {
	var b strings.Builder
	for _, tag := range append([]pgn.Tag{{Name: "Opening", Value: "x"}}, oddTags(t)...) {
		b.WriteString("[" + tag.Name + " \"" + strings.NewReplacer("\\", "\\\\", "\"", "\\\"", "\n", " ", "\r", " ").Replace(tag.Value) + "\"]\n")
	}
	b.WriteString("\n1. e4 " + rapid.SampledFrom([]string{"", "*", "1-0", "0-1", "1/2-1/2"}).Draw(t, "result") + "\n\n")
	r := pgn.NewReader(strings.NewReader(b.String()))
	g, err := r.Read()
	if _, end := r.Read(); err != nil || end != io.EOF {
		t.Skip(err) // a FEN that is none, or a second Event
	}
	return b.String(), g
}

// TestSplitTags: joining tags is the inverse of splitting them; and a game is the same after it was written and
// read, and with its tags in another order.
func TestSplitTags(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, g := oddGame(t)
		e := newEntry(g)
		got, err := joinTags(e.tags, &e.head, &e.values, e.fen)
		if err != nil || !slices.Equal(got, g.Tags) {
			t.Fatalf("%q, %v; want %q", got, err, g.Tags)
		}
		for _, text := range e.values {
			if len(text) > maxShared || !strings.HasPrefix(text, strings.ToValidUTF8(text, "")) {
				t.Fatalf("a shared value of %d bytes, %q", len(text), text)
			}
		}
		var b strings.Builder
		kit.Succeed(t, pgn.NewWriter(&b).Write(g))
		again, err := pgn.NewReader(strings.NewReader(b.String())).Read()
		if err != nil || newEntry(again).hash != e.hash {
			t.Fatalf("written and read, %q is another game: %v, %v", g.Tags, again, err)
		}
		slices.SortStableFunc(g.Tags, func(a, b pgn.Tag) int { return strings.Compare(b.Name, a.Name) })
		if newEntry(g).hash != e.hash {
			t.Fatalf("in this order it is another game: %q", g.Tags)
		}
	})
}

// TestOtherGame: a game that differs in what somebody wrote is another.
func TestOtherGame(t *testing.T) {
	seen := map[uint64]string{}
	for _, text := range []string{
		"1. e4 *", "1. d4 *", "1. e4 1-0", "[White \"A\"]\n\n1. e4 *", "[White \"B\"]\n\n1. e4 *", "[Black \"A\"]\n\n1. e4 *",
		"[White \"A\"]\n[White \"B\"]\n\n1. e4 *", "[Round \"1\"]\n\n1. e4 *", "[Date \"2011\"]\n\n1. e4 *", "[Date \"2011.??.??\"]\n\n1. e4 *", "[Odd \"\"]\n\n1. e4 *",
		"[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 *", "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 2\"]\n\n2. e4 *",
	} {
		g, err := pgn.NewReader(strings.NewReader(text)).Read()
		kit.Succeed(t, err)
		hash := newEntry(g).hash
		if other, ok := seen[hash]; ok {
			t.Errorf("%q and %q are the same", text, other)
		}
		seen[hash] = text
	}
}

// TestOddGames imports many odd games in several files: check and compact find them as they are, and they
// and what was exported are known afterwards.
func TestOddGames(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		db := begin(t, newDisk(t))
		defer db.Close()
		whole := ""
		for range rapid.IntRange(1, 3).Draw(rt, "files") {
			text := ""
			for range rapid.IntRange(1, 4).Draw(rt, "games") {
				game, _ := oddGame(rt)
				text += game
			}
			mustImport(t, db, text, text)
			whole += text
		}
		all := shown(t, db)
		for range 2 {
			kit.Succeed(t, db.Check(t.Context(), func(int) {}))
			for name, text := range map[string]string{"again": whole, "exported": all} {
				if done, err := db.Import(t.Context(), Source{PGN: strings.NewReader(text)}); err != nil || done.Games+done.Bad > 0 {
					rt.Fatalf("%s: %+v, %v\n%s", name, done, err, text)
				}
			}
			kit.Succeed(t, db.Compact(t.Context(), func(int) {}))
			if got := shown(t, db); got != all {
				rt.Fatalf("after Compact\n%s\nwant\n%s", got, all)
			}
		}
	})
}

func TestReadDate(t *testing.T) {
	for text, want := range map[string]string{
		"2024.05.17": "2024.05.17", "2024-05-17": "2024.05.17", "2024/5/7": "2024.05.07", "17.5.2024": "2024.05.17", "20240517": "2024.05.17",
		"2024.05.17 12:00": "2024.05.17", "2024-05-17T12:00:00Z": "2024.05.17", "2024": "2024.??.??", "2024?": "2024.??.??", "2024.??.17": "2024.??.??", "2024.05": "2024.05.??",
		"2024.13.17": "2024.??.??", "2024.05.45": "2024.05.??", "5/7/2024": "2024.??.??", "May 17, 2024": "2024.??.??", "?.5.2024": "2024.05.??", "": "????.??.??", "?": "????.??.??",
		"????.??.??": "????.??.??", "0000.00.00": "????.??.??", "20??": "????.??.??", "999999": "????.??.??", "1.1.1.1": "????.??.??", "٢٠٢٤": "????.??.??",
	} {
		if got := readDate(text).String(); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// TestFindDates finds games by their date however it is written, and by UTCDate where Date says nothing.
func TestFindDates(t *testing.T) {
	db := begin(t, newDisk(t))
	mustImport(t, db, "a", "[UTCDate \"2015.03.05\"]\n\n1. e4 *\n\n[Date \"????.??.??\"]\n[UTCDate \"2015.03.06\"]\n\n1. e4 *\n\n[Date \"2015-03-07\"]\n[UTCDate \"2015.03.08\"]\n\n1. e4 *\n")
	for text, want := range map[string]int{"2015.03.05": 1, "2015-03-06": 1, "2015/03/07": 1, "2015.03.08": 0, "2015.03": 3} {
		day, err := ParseDate(text)
		kit.Succeed(t, err)
		n := 0
		for _, err := range db.Find(t.Context(), Query{Filter: Filter{Since: day, Until: day}}) {
			kit.Succeed(t, err)
			n++
		}
		if n != want {
			t.Errorf("%d games of %s, want %d", n, text, want)
		}
	}
}
