package inspect

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/disk"
	"github.com/tabula-chess/tabula/train/block"
	"github.com/tabula-chess/tabula/train/record"
)

// game returns a game of UCI moves with the scores 0, 150, -300 and so on.
func game(t *testing.T, fen string, result record.Result, moves ...string) record.View {
	t.Helper()
	p, err := chess.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	g := record.Game{Start: record.Pack(p, result)}
	for i, text := range moves {
		m, err := p.ParseUCI(text)
		if err != nil {
			t.Fatal(err)
		}
		score := int16(150 * i)
		if i%2 == 0 {
			score = -score
		}
		g.Plies = append(g.Plies, record.Ply{Move: record.MoveOf(m), Score: score})
		p.Make(m)
	}
	return g.Append(nil)
}

// eachForm runs a test on both forms that keep every byte: compact blocks, and
// those of zstd that were written before there were any.
func eachForm(t *testing.T, test func(t *testing.T, form block.Form)) {
	for name, form := range map[string]block.Form{"compact": block.Exact, "zstd": block.Fast} {
		t.Run(name, func(t *testing.T) { test(t, form) })
	}
}

// sample writes a file of three games in two blocks.
func sample(t *testing.T, form block.Form) (name string, data []byte) {
	t.Helper()
	p := block.Packer{Form: form}
	var err error
	p.Add(block.ID{Run: 7, Number: 0, Nodes: 100}, game(t, chess.StartFEN, record.WhiteWins, "e2e4", "e7e5", "d1h5", "e8e7", "h5e5"))
	p.Add(block.ID{Run: 7, Number: 1, Nodes: 100}, game(t, chess.StartFEN, record.Draw, "e2e4", "d7d5", "e4d5"))
	if data, err = p.Append(nil); err != nil {
		t.Fatal(err)
	}
	p.Add(block.ID{Run: 7, Number: 0, Nodes: 100}, game(t, "6k1/8/8/8/8/8/8/5KR1 b G - 0 1", record.BlackWins, "g8f7"))
	if data, err = p.Append(data); err != nil {
		t.Fatal(err)
	}
	name = filepath.Join(t.TempDir(), "games.tbg")
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return name, data
}

func TestFiles(t *testing.T) { eachForm(t, testFiles) }

func testFiles(t *testing.T, form block.Form) {
	name, data := sample(t, form)
	steps := 0
	got, err := Files(t.Context(), []string{name}, func(int, int) { steps++ })
	if err != nil {
		t.Fatal(err)
	}
	want := &Report{
		Files: 1, Bytes: int64(len(data)), Blocks: 2, Games: 3, Positions: 9,
		WhiteWins: 1, Draws: 1, BlackWins: 1, Chess960: 1, InCheck: 1, Tactical: 2, Repeated: 1, LongestPly: 5,
		Runs:   []Run{{ID: 7, Nodes: 100, Games: 3}},
		Phases: make([]int, MaxPhase+1), Scores: make([]int, scoreBars), Halves: make([]int, scoreBars),
	}
	want.Phases[24], want.Phases[2] = 8, 1
	halves := []int{2, 2, 2, 2, 2, 1, 1, 1, 0} // of White, who wins the first game and loses the last
	for i, score := range []int{0, 150, -300, 450, -600, 0, 150, -300, 0} {
		want.Scores[1+(score+ScoreEdge)/ScoreStep]++
		want.Halves[1+(score+ScoreEdge)/ScoreStep] += halves[i]
	}
	if diff := cmp.Diff(want, got); diff != "" || steps != 2 {
		t.Errorf("%d steps, (-want +got):\n%s", steps, diff)
	}
}

func TestScoreBar(t *testing.T) {
	for _, tt := range []struct{ score, want int }{
		{-32000, 0}, {-3001, 0}, {-3000, 1}, {-2901, 1}, {-2900, 2}, {-1, 30}, {0, 31}, {2999, 60}, {3000, 61}, {32000, 61},
	} {
		if got := scoreBar(tt.score); got != tt.want {
			t.Errorf("score %d is in bar %d, want %d", tt.score, got, tt.want)
		}
	}
}

func TestDamageIsNamed(t *testing.T) { eachForm(t, testDamageIsNamed) }

func testDamageIsNamed(t *testing.T, form block.Form) {
	name, data := sample(t, form)
	f, err := block.NewFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	second := f.Entries[1].Offset
	for _, tt := range []struct {
		name   string
		change func([]byte) []byte
		block  int
		game   int
		reason string
	}{
		{"payload", func(b []byte) []byte { b[60] ^= 1; return b }, 0, -1, "checksum"},
		{"header", func(b []byte) []byte { b[second+20] ^= 1; return b }, 1, -1, "checksum"},
		{"cut", func(b []byte) []byte { return b[:len(b)-1] }, 1, -1, "ends inside the block"},
		{"illegal move", func(b []byte) []byte {
			g := game(t, chess.StartFEN, record.Draw, "e2e4", "e7e5")
			copy(g[record.PackedSize:], []byte{12, 44 << 6 & 255}) // the pawn of e2 far away
			var p block.Packer
			p.Add(block.ID{}, game(t, chess.StartFEN, record.Draw, "e2e4"))
			p.Add(block.ID{}, g)
			b, err := p.Append(b)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}, 2, 1, "illegal move"},
	} {
		if err := os.WriteFile(name, tt.change(bytes.Clone(data)), 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := Files(t.Context(), []string{name}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Damage) != 1 || r.Damage[0].Block != tt.block || r.Damage[0].Game != tt.game || !strings.Contains(r.Damage[0].Reason, tt.reason) {
			t.Errorf("%s: damage %+v, want block %d, game %d, %q", tt.name, r.Damage, tt.block, tt.game, tt.reason)
		}
	}
}

func TestText(t *testing.T) {
	name, _ := sample(t, block.Exact)
	r, err := Files(t.Context(), []string{name}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"3, 3.0 plies each", "white 33.33%, draw 33.33%, black 33.33%", "run         7: 3 games, 100 nodes", "24  88.89% █"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	data, err := json.Marshal(r)
	if err != nil || !bytes.Contains(data, []byte(`"games":3`)) || !bytes.Contains(data, []byte(`"positions":9`)) {
		t.Errorf("JSON %s, error %v", data, err)
	}
}

// TestTextOfNothing shows that a report without positions has no histograms.
func TestTextOfNothing(t *testing.T) {
	var out strings.Builder
	if err := new(Report).WriteText(&out); err != nil || strings.Contains(out.String(), "phase") || strings.Contains(out.String(), "%") || strings.Contains(out.String(), "score (") {
		t.Errorf("%v\n%s", err, &out)
	}
}

func TestPictures(t *testing.T) {
	name, _ := sample(t, block.Exact)
	r, err := Files(t.Context(), []string{name}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.WritePicture(&out, "png"); err != nil {
		t.Fatal(err)
	}
	if c, err := png.DecodeConfig(&out); err != nil || c.Width < 500 {
		t.Errorf("%+v, error %v", c, err)
	}
	out.Reset()
	if err := r.WritePicture(&out, "svg"); err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(&out); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if err := r.WritePicture(&out, "bmp"); err == nil {
		t.Error("an unknown format is accepted")
	}
	empty := &Report{Phases: make([]int, MaxPhase+1), Scores: make([]int, scoreBars)}
	if err := empty.WritePicture(&out, "svg"); err != nil {
		t.Errorf("no positions: %v", err)
	}
}

// TestJournal inspects a file while games are added to it.
func TestJournal(t *testing.T) {
	name, _ := sample(t, block.Exact)
	l, _, err := block.OpenLog(name)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Add(block.ID{Run: 9}, game(t, chess.StartFEN, record.Draw, "e2e4", "e7e5")); err != nil {
		t.Fatal(err)
	}
	r, err := Files(t.Context(), []string{name}, nil)
	if err != nil || r.Games != 4 || r.Positions != 11 || r.Blocks != 2 || r.Waiting != 1 || len(r.Damage) != 0 {
		t.Fatalf("%+v, error %v", r, err)
	}
	var out bytes.Buffer
	if err := r.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	want := []string{"journal     1 of the games"}
	if disk.OS().Locks() {
		want = append(want, "in use      "+name)
	}
	for _, want := range want {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
