package games

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/openings/polyglot"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/test/kit"
)

func text(t *testing.T, n int, seed uint64) string {
	t.Helper()
	var b bytes.Buffer
	kit.Succeed(t, kit.WriteGames(&b, n, seed))
	return b.String()
}

// begin returns a database in memory that may be changed.
func begin(t *testing.T, d disk) *DB {
	t.Helper()
	db, err := Update(d.db())
	kit.Succeed(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func mustImport(t *testing.T, db *DB, name, text string) Imported {
	t.Helper()
	done, err := db.Import(t.Context(), Source{Name: name, PGN: strings.NewReader(text)})
	kit.Succeed(t, err)
	return done
}

// checkCounts compares what Show reports with plain counts.
func checkCounts(t *testing.T, db *DB, c *plain, f Filter) {
	t.Helper()
	p, err := chess.ParseFEN(c.fen)
	kit.Succeed(t, err)
	r, err := db.Show(t.Context(), p, f)
	kit.Succeed(t, err)
	got := map[chess.Move]*Count{}
	for _, m := range r.Moves {
		got[m.Move] = &m.Count
	}
	if diff := cmp.Diff(c.moves, got); diff != "" || r.Total != c.total {
		t.Fatalf("%s: total %+v, want %+v; moves (-want +got):\n%s", c.fen, r.Total, c.total, diff)
	}
	for _, list := range []struct {
		order func(a, b candidate) int
		got   []*Found
	}{{byRating, r.Top}, {byDate, r.Latest}} {
		slices.SortFunc(c.games, list.order)
		want := c.games[:min(listed, len(c.games))]
		if !slices.EqualFunc(want, list.got, func(c candidate, f *Found) bool { return c.game == f.Number }) {
			t.Fatalf("%s: games %+v, want %+v", c.fen, list.got, want)
		}
	}
}

// TestCounts imports games in several parts and compares the counts of positions with a
// plain map: all that occur in more than 20 games and a sample of the others; then again
// with filters, and after all segments were merged.
func TestCounts(t *testing.T) {
	n := 6000
	if testing.Short() {
		n = 2000
	}
	db := begin(t, newDisk(t))
	db.run = 15000
	var all []*pgn.Game
	for i := range 3 {
		part := text(t, n/3, uint64(i))
		if done := mustImport(t, db, fmt.Sprint("part ", i), part); done.Games != n/3 {
			t.Fatalf("%+v", done)
		}
		for g, err := range pgn.NewReader(strings.NewReader(part)).Games() {
			kit.Succeed(t, err)
			all = append(all, g)
		}
	}
	player := all[0].Tag("White")
	color, result := chess.White, chess.WhiteWins
	since, _ := ParseDate("2010")
	ratings := func(g *pgn.Game) (low, high int) {
		white, _ := strconv.Atoi(g.Tag("WhiteElo"))
		black, _ := strconv.Atoi(g.Tag("BlackElo"))
		return min(white, black), max(white, black)
	}
	least, most := ratings(all[0])
	filters := []struct {
		filter Filter
		keep   func(*pgn.Game) bool
		every  int // one of this number of the rare positions is compared
	}{
		{Filter{}, func(*pgn.Game) bool { return true }, n / 5},
		{Filter{Player: player, Color: &color}, func(g *pgn.Game) bool { return g.Tag("White") == player }, 10},
		{Filter{Since: since, Result: &result, MinRating: least}, func(g *pgn.Game) bool {
			low, _ := ratings(g)
			return g.Tag("Date") >= "2010" && g.Result == result && low >= least
		}, n / 5},
		{Filter{Until: since, MaxRating: most}, func(g *pgn.Game) bool {
			_, high := ratings(g)
			return g.Tag("Date") < "2011" && high <= most
		}, n / 5},
	}
	chosen := make([][]*plain, len(filters))
	for i, f := range filters {
		counts := plainCounts(all, f.keep)
		if len(counts) == 0 {
			t.Fatal("no games")
		}
		for j, key := range slices.Sorted(maps.Keys(counts)) {
			c := counts[key]
			if c.total.Games > 20 || c.total.Games > 1 && i == 0 && j%20 == 0 || j%f.every == 0 {
				chosen[i] = append(chosen[i], c)
			}
		}
		t.Logf("%d of %d positions are compared", len(chosen[i]), len(counts))
	}
	for range 2 {
		for i, f := range filters {
			for _, c := range chosen[i] {
				checkCounts(t, db, c, f.filter)
			}
		}
		kit.Succeed(t, db.Compact(t.Context(), func(int) {}))
		kit.Succeed(t, db.Check(t.Context(), func(int) {}))
	}
}

// TestRareWays counts every position of games that come to a frequent one by ways that one
// game alone has taken.
func TestRareWays(t *testing.T) {
	var b strings.Builder
	for i, moves := range []string{"d4 d5 Nf3 Nf6", "d4 d5 Nf3 Nf6", "d4 d5 Nf3 Nf6", "d4 d5 Nf3 Nf6 g3", "Nf3 Nf6 d4 d5 c4", "d4 Nf6 Nf3 d5 c4", "Nf3 d5 d4 Nf6"} {
		fmt.Fprintf(&b, "[Round \"%d\"]\n[Result \"1-0\"]\n\n%s 1-0\n\n", i, moves)
	}
	db := begin(t, newDisk(t))
	mustImport(t, db, "a", b.String())
	var all []*pgn.Game
	for g, err := range pgn.NewReader(strings.NewReader(b.String())).Games() {
		kit.Succeed(t, err)
		all = append(all, g)
	}
	for _, c := range plainCounts(all, func(*pgn.Game) bool { return true }) {
		checkCounts(t, db, c, Filter{})
	}
}

// TestBook weighs the moves that some games begin with.
func TestBook(t *testing.T) {
	db := begin(t, newDisk(t))
	mustImport(t, db, "a", "1. e4 e5 2. Nf3 1-0\n\n1. e4 e5 2. f4 0-1\n\n1. e4 c5 1/2-1/2\n\n1. e4 e5 *\n\n1. d4 d5 1-0\n\n1. c4 0-1\n")
	built, err := db.Book(t.Context(), 3, 1)
	kit.Succeed(t, err)
	var file bytes.Buffer
	kit.Succeed(t, built.WriteBook(&file))
	book, err := polyglot.NewBook(bytes.NewReader(file.Bytes()), int64(file.Len()))
	kit.Succeed(t, err)
	for moves, want := range map[string]string{"": "e4 4 d4 2", "e4": "e5 3 c5 1", "e4 e5": "Nf3 2", "d4": "", "e4 c5": ""} {
		p := kit.Position(t, chess.StartFEN, strings.Fields(moves)...)
		found, err := book.Moves(p)
		kit.Succeed(t, err)
		var got []string
		for _, m := range found {
			got = append(got, p.SAN(m.Move), fmt.Sprint(m.Weight))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("after %q: %v, want %s", moves, got, want)
		}
	}
	// Games from positions that were set up, one of them on the way of another.
	const pawn, rooks = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K1R1 w G - 0 1"
	setUp := func(fen string) string { return "[FEN \"" + fen + "\"]\n[Variant \"From Position\"]\n\n" }
	mustImport(t, db, "b", setUp(pawn)+"1. e4 Kd7 2. e5 1-0\n\n"+setUp("4k3/8/8/8/8/8/4P3/4K3 w - - 3 9")+"9. e4 Ke7 1/2-1/2\n\n"+
		setUp("8/4k3/8/8/8/8/4P3/4K3 b - - 0 1")+"1... Ke8 2. e3 0-1\n\n"+setUp(rooks)+"1. O-O Ke7 1-0\n\n")
	built, err = db.Book(t.Context(), 2, 1)
	kit.Succeed(t, err)
	file.Reset()
	kit.Succeed(t, built.WriteBook(&file))
	book, err = polyglot.NewBook(bytes.NewReader(file.Bytes()), int64(file.Len()))
	kit.Succeed(t, err)
	for fen, want := range map[string]string{
		pawn: "[e4 3]", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1": "[Ke7 1]", "8/4k3/8/8/8/8/4P3/4K3 b - - 0 1": "[Ke8 2]",
		rooks: "[O-O 2]", "8/3k4/8/8/4P3/8/8/4K3 w - - 1 2": "[]", chess.StartFEN: "[e4 4 d4 2]",
	} {
		found, err := book.Moves(kit.Position(t, fen))
		kit.Succeed(t, err)
		got := []string{}
		for _, m := range found {
			got = append(got, kit.Position(t, fen).SAN(m.Move), fmt.Sprint(m.Weight))
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s", fen, got, want)
		}
	}
	if built, err = db.Book(t.Context(), 1, 6); err != nil || built.Positions() != 0 {
		t.Errorf("moves of six games: %d positions, %v", built.Positions(), err)
	}
	if built, err = db.Book(t.Context(), 1, 4); err != nil || built.Positions() != 1 {
		t.Errorf("a ply deep: %d positions, %v", built.Positions(), err)
	}
	for _, bad := range [][2]int{{0, 1}, {1, 0}} {
		if _, err := db.Book(t.Context(), bad[0], bad[1]); err == nil {
			t.Errorf("a book of %d plies and %d games", bad[0], bad[1])
		}
	}
}

// shown returns all games of a database.
func shown(t *testing.T, db *DB) string {
	t.Helper()
	var got strings.Builder
	out := pgn.NewWriter(&got)
	for f, err := range db.Find(t.Context(), Query{}) {
		kit.Succeed(t, err)
		g, err := f.Game()
		kit.Succeed(t, err)
		kit.Succeed(t, out.Write(g))
	}
	return got.String()
}

// TestMoves packs every move and gets it back.
func TestMoves(t *testing.T) {
	for i := range 1 << 16 {
		m := chess.Move(i)
		if got := readMove(appendMove(nil, m)); got != m {
			t.Fatalf("%04x comes back as %04x", i, uint16(got))
		}
	}
}

func TestDate(t *testing.T) {
	for _, tt := range []struct {
		text, printed string
		year          int
		last          Date
	}{
		{"2024.05.17", "2024.05.17", 2024, 2024<<9 | 5<<5 | 17},
		{"2024.05.??", "2024.05.??", 2024, 2024<<9 | 5<<5 | 31},
		{"2024.??.??", "2024.??.??", 2024, 2024<<9 | 15<<5 | 31},
		{"2024", "2024.??.??", 2024, 2024<<9 | 15<<5 | 31},
		{"9999.12.31", "9999.12.31", 9999, 9999<<9 | 12<<5 | 31},
		{"0.0.0", "????.??.??", 0, 15<<5 | 31},
		{"????.??.??", "????.??.??", 0, 15<<5 | 31},
	} {
		d, err := ParseDate(tt.text)
		if err != nil || d.String() != tt.printed || d.Year() != tt.year || d.last() != tt.last {
			t.Errorf("%q: %v, year %d, last %d, %v; want %s, %d, %d", tt.text, d, d.Year(), d.last(), err, tt.printed, tt.year, tt.last)
		}
	}
	for _, text := range []string{"", "x", "10000", "2024.13.01", "2024.12.32", "2024.-1.01", "2024.1.1.", "2024.1.1.?", "2024.1.1.1", "2024..1"} {
		if d, err := ParseDate(text); err == nil {
			t.Errorf("%q is read as %v", text, d)
		}
	}
}

// TestWarnings imports games with words that are no moves, and a null move in check: they are there, and each has one
// warning, in its place in the whole file.
func TestWarnings(t *testing.T) {
	db := begin(t, newDisk(t))
	var text strings.Builder
	for i := range 9000 { // more than one part of the reader
		fmt.Fprintf(&text, "[Event \"%d\"]\n\n1. e4 e5 2. Qh5 Nc6 3. Qxf7+ -- 4. Nf3 Resigns, they say %s1-0\n\n", i, strings.Repeat("{x} ! ", i%2))
	}
	warned := 0
	done, err := db.Import(t.Context(), Source{Name: "x", PGN: strings.NewReader(text.String()), Warn: func(err error) {
		want := fmt.Sprintf(`x: game %d, line %d, column 40: "Resigns," is no move: kept as a comment`, warned+1, 4*warned+3)
		if warned++; err.Error() != want && !t.Failed() {
			t.Errorf("warning %v, want %s", err, want)
		}
	}})
	if err != nil || done != (Imported{Games: 9000, Warned: 9000}) || warned != 9000 {
		t.Errorf("%+v, %v, %d warnings", done, err, warned)
	}
	kit.Succeed(t, db.Check(t.Context(), func(int) {}))
	if again, err := db.Import(t.Context(), Source{PGN: strings.NewReader(shown(t, db))}); err != nil || again != (Imported{Repeated: 9000}) {
		t.Errorf("exported and imported again: %+v, %v", again, err)
	}
}

// TestImportStopped ends an import whose source has no more to say yet: the games so far are stored.
func TestImportStopped(t *testing.T) {
	d := newDisk(t)
	db := begin(t, d)
	r, w := io.Pipe()
	defer w.Close()
	ctx, stop := context.WithCancel(t.Context())
	text := text(t, 20, 1)
	go func() {
		io.WriteString(w, text)
		stop()
	}()
	done, err := db.Import(ctx, Source{Name: "a", PGN: r})
	kit.Succeed(t, db.Close())
	if !errors.Is(err, context.Canceled) || done.Games < 19 || gamesIn(t, d) != done.Games {
		t.Errorf("%+v, %v; stored: %d", done, err, gamesIn(t, d))
	}
}

// TestWordless: a filter by a text without a letter or digit is refused, whatever it filters.
func TestWordless(t *testing.T) {
	d, _ := threeParts(t)
	db := begin(t, d)
	for _, f := range []Filter{{Player: "?"}, {Event: "?"}, {TimeControl: "-"}} {
		for _, err := range db.Find(t.Context(), Query{Filter: f}) {
			if !errors.Is(err, ErrQuery) {
				t.Errorf("%+v: %v", f, err)
			}
			break
		}
	}
}

// TestWantedLater looks for material and squares at a position or later: not before it, and both in one position.
func TestWantedLater(t *testing.T) {
	db := begin(t, disk(t.TempDir()))
	mustImport(t, db, "a", `[Event "knight"]

1. e4 e5 2. Nf3 Nc6 3. Nh4 d6 4. Nf5 g6 *

[Event "early"]

1. Nf3 e5 2. Nd4 c5 3. Nf5 d6 4. Nd4 g6 5. e4 *

[Event "ending"]
[FEN "4k3/8/8/8/8/3p4/4P3/R3K3 w - - 0 1"]

1. exd3 Kd7 2. Ra7+ Kd6 3. Rd7+ Kxd7 *
`)
	start := func(moves ...string) *chess.Position { return kit.Position(t, chess.StartFEN, moves...) }
	ending := kit.Position(t, "4k3/8/8/8/8/3p4/4P3/R3K3 w - - 0 1")
	taken := kit.Position(t, "4k3/8/8/8/8/3P4/8/R3K3 b - - 0 1", "e8d7", "a1a7", "d7d6")
	for _, tt := range []struct {
		name string
		q    Query
		want string // event and ply of each game
	}{
		{"squares after moves", Query{Position: start("e2e4", "e7e5"), Squares: "Nf5,pg7"}, "knight 7"},
		{"squares alone", Query{Squares: "Nf5,pg7"}, "knight 7, early 5"},
		{"squares before the position", Query{Position: start("g1f3", "e7e5", "f3d4", "c7c5", "d4f5", "d7d6", "f5d4"), Squares: "Nf5"}, ""},
		{"squares at the position", Query{Position: start("g1f3", "e7e5", "f3d4", "c7c5", "d4f5"), Squares: "Nf5"}, "early 5"},
		{"squares in two positions", Query{Squares: "Nf5,pg6"}, "knight 8"},
		{"squares that never are together", Query{Squares: "Nd4,Nf5"}, ""},
		{"material later", Query{Position: ending, Material: "KRPvK"}, "ending 1"},
		{"material after more captures", Query{Position: ending, Material: "KPvK"}, "ending 6"},
		{"material that was before", Query{Position: taken, Material: "KRPvKP"}, ""},
		{"material and squares together", Query{Position: ending, Material: "KRPvK", Squares: "kd6,Ra7"}, "ending 4"},
		{"material and squares apart", Query{Material: "KPvK", Squares: "Ra7"}, ""},
		{"the position alone", Query{Position: taken}, "ending 4"},
		{"a pattern and squares, then more", Query{Squares: "Nf5", Pattern: "squares=pg7 later pawns=black:g6"}, "knight 8, early 8"},
		{"a pattern after moves", Query{Position: start("e2e4", "e7e5"), Pattern: "squares=Nf3 later squares=Nf5"}, "knight 7"},
		{"a pattern at the position", Query{Position: taken, Pattern: "attacked=k later not squares=R"}, "ending 6"},
		{"a pattern with material", Query{Position: ending, Material: "KRPvK", Pattern: "attacked=k later material=KPvK"}, "ending 6"},
		{"another player's", Query{Filter: Filter{Event: "early"}, Position: start("e2e4", "e7e5"), Squares: "Nf5,pg7"}, ""},
	} {
		var got []string
		for f, err := range db.Find(t.Context(), tt.q) {
			kit.Succeed(t, err)
			got = append(got, fmt.Sprintf("%s %d", f.Event, f.Ply))
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestFoundTogether reads the games of one block at once.
func TestFoundTogether(t *testing.T) {
	d, _ := threeParts(t)
	db := begin(t, d)
	var all []*Found
	for f, err := range db.Find(t.Context(), Query{}) {
		kit.Succeed(t, err)
		all = append(all, f)
	}
	var group sync.WaitGroup
	for _, f := range all {
		group.Go(func() {
			if g, err := f.Game(); err != nil || g.Tag("White") != f.White {
				t.Errorf("game %d: %v, %v", f.Number, g, err)
			}
		})
	}
	group.Wait()
}

func TestNamed(t *testing.T) {
	for _, tt := range []struct {
		name, part string
		want       bool
	}{
		{"Berg, Anna", "Anna Berg", true},
		{"Anna Berg", "berg, anna", true},
		{"Berg, Anna Maria", "maria anna", true},
		{"Berg, Anna", "ann", false},
		{"Berg, Anna", "Anna Bergmann", false},
		{"Berg, Anna", "?", false},
		{"Berg, Anna", "", true},
		{"", "a", false},
	} {
		if got := Named(tt.name, tt.part); got != tt.want {
			t.Errorf("%q for %q: %v", tt.name, tt.part, got)
		}
	}
}

// TestMarks keeps marks with the games: over imports and merges, not beyond damage, and not without games.
func TestMarks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	db, err := Update(dir)
	kit.Succeed(t, err)
	kit.Succeed(t, db.SetMark("a", "1"))
	for i := range 3 {
		_, err = db.Import(t.Context(), Source{PGN: strings.NewReader(fmt.Sprintf("[Event \"%d\"]\n\n1. e4 1-0\n", i))})
		kit.Succeed(t, err)
		kit.Succeed(t, db.SetMark("b", fmt.Sprint(i)))
	}
	kit.Succeed(t, db.Compact(t.Context(), func(int) {}))
	kit.Succeed(t, db.Close())
	marks := func() string {
		t.Helper()
		db, err := Open(dir)
		kit.Succeed(t, err)
		defer db.Close()
		return db.Mark("a") + " " + db.Mark("b") + " " + db.Mark("c")
	}
	if got := marks(); got != "1 2 " {
		t.Errorf("marks %q", got)
	}
	repair := func() {
		_, err := Repair(t.Context(), dir, func(error) {}, func(int) {})
		kit.Succeed(t, err)
	}
	if repair(); marks() != "1 2 " {
		t.Error("a repair of nothing forgets marks")
	}
	names, err := filepath.Glob(filepath.Join(dir, "segment-*"))
	kit.Succeed(t, err)
	data := kit.Read(t, names[0])
	clear(data[len(data)/2 : len(data)/2+64])
	kit.Write(t, names[0], data)
	if repair(); marks() != "  " {
		t.Errorf("after damage, marks %q", marks())
	}
}
