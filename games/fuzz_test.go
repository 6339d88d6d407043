package games

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/test/kit"
)

// sample returns the bytes of a segment of a few games.
func sample(f *testing.F) []byte {
	f.Helper()
	d := disk(f.TempDir())
	db, err := Update(d.db())
	kit.Succeed(f, err)
	games := "[White \"A\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 Kd8 1-0\n\n"
	for i := range 80 {
		games += "[White \"" + string(rune('A'+i%26)) + "\"]\n[Round \"" + strings.Repeat("1", i) + "\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n"
	}
	_, err = db.Import(f.Context(), Source{PGN: strings.NewReader(games)})
	kit.Succeed(f, errors.Join(err, db.Close()))
	return kit.Read(f, d.path("db/segment-000001"))
}

// withPage returns a segment in which a page holds something else, with the right checksum; those of
// blocks are packed. In place of a page beyond all sections the numbers of the footer are replaced.
func withPage(whole []byte, section, number int, data []byte) []byte {
	old, err := openPages("whole", bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		panic(err)
	}
	var out bytes.Buffer
	b := &builder{}
	b.deflate, _ = flate.NewWriter(nil, flate.DefaultCompression)
	w := &b.pages
	w.out = bufio.NewWriter(&out)
	w.write([]byte(magic))
	for sec, pages := range old.pages {
		for n := range pages {
			page, err := old.page(sec, n)
			if err != nil {
				panic(err)
			}
			if sec == section && n == number {
				if page = data; sec == secMoves || sec == secTags {
					page = b.pack(data)
				}
			}
			w.page(sec, page)
		}
	}
	shape := old.shape
	if section >= sections {
		for _, to := range []*uint64{&shape.games, &shape.plies, &shape.positions, &shape.popular, &shape.text} {
			var n [8]byte
			data = data[copy(n[:], data):]
			*to += binary.LittleEndian.Uint64(n[:])
		}
	}
	if err := w.finish(shape); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// FuzzSegment reads a segment of which a page, or all, is any bytes, in every way: nothing panics or
// does not end, and errors say that it is damaged.
func FuzzSegment(f *testing.F) {
	whole := sample(f)
	r, err := openPages("whole", bytes.NewReader(whole), int64(len(whole)))
	kit.Succeed(f, err)
	for section, pages := range r.pages {
		for n := range pages {
			page, err := r.page(section, n)
			if section == secMoves || section == secTags {
				page, err = r.unpack(section, n)
			}
			kit.Succeed(f, err)
			f.Add(byte(section), byte(n), page)
		}
	}
	f.Add(byte(sections), byte(0), []byte{1})
	f.Add(byte(255), byte(0), whole)
	f.Fuzz(func(t *testing.T, section, number byte, data []byte) {
		if section < 255 {
			data = withPage(whole, int(section), int(number), data)
		}
		damaged := func(err error) {
			if err != nil && !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
		}
		d := newDisk(t)
		const name = "db/segment-000001"
		kit.Succeed(t, os.Mkdir(d.db(), 0o777))
		d.put(t, name, data)
		db, err := openBytes(d.path(name), data)
		damaged(err)
		if err != nil {
			return
		}
		color := chess.White
		for _, filter := range []Filter{{}, {Player: "a", Color: &color, Event: "x", TimeControl: "x"}} {
			p := chess.NewPosition()
			for _, move := range []string{"e4", "e5", "Nf3", "Nc6", "Bb5"} {
				_, err := db.Show(t.Context(), p, filter)
				damaged(err)
				m, err := p.ParseSAN(move)
				kit.Succeed(t, err)
				p.Make(m)
			}
		}
		for _, q := range []Query{{}, {Position: chess.NewPosition()}, {Material: "KPvK"}, {Pattern: "attacked=q later pinned=n castling=same"}} {
			for found, err := range db.Find(t.Context(), q) {
				damaged(err)
				if err == nil {
					_, err = found.Game()
					damaged(err)
				}
			}
		}
		_, err = db.Book(t.Context(), 4, 1)
		damaged(err)
		damaged(db.Check(t.Context(), func(int) {}))
		_, err = Repair(t.Context(), d.db(), func(error) {}, func(int) {})
		kit.Succeed(t, err)
		gamesIn(t, d)
	})
}

const another = "[Event \"another\"]\n\n1. a3 a6 2. Ra2 *"

// FuzzImport imports any bytes: the games are those that a reader reads, tags and all, and they are
// whole and known afterwards, and when they were exported.
func FuzzImport(f *testing.F) {
	for _, text := range []string{
		"[Event \"a\"]\n[Date \"2011\"]\n[Event2 \"\"]\n\n1. e4 e5 1-0\n\n[Event \"b\"]\n\n1. e5 *\n\n[Event \"c\"]\n[Event \"d\"]\n\n1. d4 {x} (1. c4) d5 $1 1/2-1/2",
		"[White \"M\xfcller\"]\n[White \"A\"]\n[WhiteElo \"02400\"]\n[Result \"0-1\"]\n\n1. e4 1-0",
		"[FEN \"r3k2r/8/8/8/8/8/8/R3K2R w kqKQ -\"]\n[SetUp \"0\"]\n[Variant \"\"]\n\n1. O-O -- *",
		"[Event \"odd\"]\n[Odd \"a \\\"b\\\"\"]\n[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 7 30\"]\n\n1. a8=N {c} -- 2. Nb6 *",
		"[EVent \"a\"]\n[Event\v\"b\"]\n[fen \"\"]\n\n1. e4 *",
		"\xef\xbb\xbf1. e4 e5 2. Nf3\n\n% x\n[UTCDate \"2015.03.05\"]\n\n*",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		db := begin(t, newDisk(t))
		add := func(text string) Imported {
			done, err := db.Import(t.Context(), Source{PGN: strings.NewReader(text)})
			kit.Succeed(t, err)
			return done
		}
		done := add(string(data))
		var want []*pgn.Game
		bad, seen := 0, map[uint64]bool{}
		for g, err := range pgn.NewReader(bytes.NewReader(data)).Games() {
			if err != nil {
				bad++
			} else if e := newEntry(g); !seen[e.hash] {
				seen[e.hash] = true
				want = append(want, g)
			}
		}
		for again := range 2 {
			n := 0
			for found, err := range db.Find(t.Context(), Query{}) {
				kit.Succeed(t, err)
				g, err := found.Game()
				kit.Succeed(t, err)
				w := want[n]
				if !slices.Equal(g.Tags, w.Tags) || g.Result != w.Result || !g.Position().Equal(w.Position()) ||
					!slices.EqualFunc(g.Main.Moves, w.Main.Moves, func(a, b pgn.Node) bool { return a.Move == b.Move }) {
					t.Fatalf("game %d: %+v, want %+v", n, g, w)
				}
				if alone, err := db.Game(n); err != nil || alone.Listed != found.Listed {
					t.Fatalf("game %d alone: %+v, %v", n, alone, err)
				}
				n++
			}
			if n != len(want) || again == 0 && (done.Games != n || done.Bad != bad) {
				t.Fatalf("%+v, %d games; want %d and %d bad ones", done, n, len(want), bad)
			}
			kit.Succeed(t, db.Check(t.Context(), func(int) {}))
			if known := add(string(data)); known.Games > 0 || known.Bad != bad {
				t.Fatalf("again: %+v", known)
			}
			if known := add(shown(t, db)); known.Games+known.Bad > 0 {
				t.Fatalf("exported: %+v", known)
			}
			more, err := pgn.NewReader(strings.NewReader(another)).Read()
			kit.Succeed(t, err)
			if add(another).Games > 0 { // or there is nothing to merge
				want = append(want, more)
			}
			kit.Succeed(t, db.Compact(t.Context(), func(int) {}))
		}
	})
}

// openBytes opens a database of one segment.
func openBytes(name string, data []byte) (*DB, error) {
	s, err := openPages(name, bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	db := &DB{dir: name}
	db.use([]*segment{s})
	return db, nil
}
