// Package lineage rebuilds the networks from nothing, byte for byte.
//
// Each network has a row in lineage.tsv ([Stage]) that says which network played its
// training games, with which settings and seeds, and how it was fitted to them. The
// first stage needs no network: its positions are random and labelled by the values of
// the pieces. A game depends on its row and its number, a fit on its games and its row,
// so whoever runs the rows in order comes to the same networks on any machine.
//
// chunks.tsv has the SHA-256 of each chunk of [ChunkGames] games. It is taken over the
// games in the order of their numbers, each as [record.ScoredGame.Append] writes it, with
// scores rounded by [record.Round]: not over a file, whose format may change.
//
// [Chain] runs the rows and continues after a kill; [Chain.Verify] plays random chunks again.
package lineage

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/train/fit"
)

// ChunkGames is the number of games in a chunk; the only chunk of a small stage may have fewer.
const ChunkGames = 10_000

// Sum is the SHA-256 of a chunk or a network; zero if unknown.
type Sum [32]byte

// String returns the sum in hexadecimal, "-" for an unknown one.
func (s Sum) String() string {
	if s == (Sum{}) {
		return "-"
	}
	return hex.EncodeToString(s[:])
}

// parseSum reads what String returns.
func parseSum(text string) (s Sum, err error) {
	if text == "-" {
		return s, nil
	}
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(s) {
		return s, fmt.Errorf("%q is not a SHA-256", text)
	}
	return Sum(b), nil
}

// Stage is a row of lineage.tsv: a network and where it comes from.
type Stage struct {
	Name     string   // of the network
	Commit   string   // whose search played, "-" for the present one
	Search   uint64   // [search.Signature] of that search with the first network; 0 where none searched yet
	Player   string   // network that plays; "-" for random positions labelled by the values of pieces
	Nodes    uint64   // soft limit of a search
	Chess960 float64  // share of the games
	Men      int      // of the endgame tables that end games and label positions, 0 for none
	Run      uint64   // number of the run, the seed of its games with their own numbers
	Games    int      // from number 0 on
	Data     []string // stages whose games the network is fitted to, in this order
	Width    int      // neurons of a perspective
	Kings    int      // king buckets, 0 for none
	Start    string   // network whose weights the fit starts from, "-" for random ones
	Rate     float64  // highest learning rate
	Epochs   float64  // times that each position is seen
	Lambda   float64  // of the targets, TD(λ)
	Scales   []int    // centipawns of an output of 1 for each output bucket, none for fit.Scale everywhere
	Seed     uint64   // of the fit

	// Results.
	Positions int // in the games, 0 if unknown
	Network   Sum // [nnue.Network.Hash]
}

// Chunks returns the number of chunks of the stage.
func (s *Stage) Chunks() int { return (s.Games + ChunkGames - 1) / ChunkGames }

// material reports whether the positions are random, labelled by the values of pieces.
func (s *Stage) material() bool { return s.Player == "-" }

// chunk returns the games of chunk n: the number of the first, and how many.
func (s *Stage) chunk(n int) (first, games int) {
	first = n * ChunkGames
	return first, min(ChunkGames, s.Games-first)
}

// config returns the settings of the stage's fit but for what depends on the data. Those without a column are the same
// in all rows: another value needs a column.
func (s *Stage) config() fit.Config {
	return fit.Config{
		Shape:  nnue.Shape{Width: s.Width, KingBuckets: s.Kings, Outputs: 8, Scale: 156},
		Epochs: s.Epochs, Batch: 16384, Shards: 8, Seed: s.Seed,
		Rate: s.Rate, RateEnd: 5e-6, WarmUp: 0.02, Decay: 0.01,
		Blend: 0.95, ScoreScale: 156, Sparsity: 3e-6,
		JudgeEvery: 4000,
	}
}

// Chunk is a row of chunks.tsv.
type Chunk struct {
	Stage     string
	Number    int
	Positions int
	Sum       Sum
}

// Manifest holds the stages in order and the known chunks.
type Manifest struct {
	Stages []Stage
	Chunks []Chunk
}

//go:embed lineage.tsv chunks.tsv networks
var committed embed.FS

// Names of the files of a manifest.
const (
	stagesFile = "lineage.tsv"
	chunksFile = "chunks.tsv"
)

// Committed returns the manifest of the repository.
func Committed() (*Manifest, error) { return readManifest(committed) }

// Read returns the manifest of a directory.
func Read(dir string) (*Manifest, error) { return readManifest(os.DirFS(dir)) }

// CommittedNetwork returns a network of the repository, nil if it has none of that name.
func CommittedNetwork(name string) (*nnue.Network, error) {
	f, err := committed.Open("networks/" + name + ".nn")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return nnue.Read(f)
}

func readManifest(dir fs.FS) (*Manifest, error) {
	m := &Manifest{}
	if err := readRows(dir, stagesFile, (*Stage).columns, m.add); err != nil {
		return nil, err
	}
	return m, readRows(dir, chunksFile, (*Chunk).columns, func(c Chunk) error {
		if s := m.Stage(c.Stage); s == nil || c.Number >= s.Chunks() {
			return fmt.Errorf("chunk %d of %s: there is no such chunk", c.Number, c.Stage)
		}
		m.Chunks = append(m.Chunks, c)
		return nil
	})
}

// add appends a stage, which may only use stages before it.
func (m *Manifest) add(s Stage) error {
	c := s.config()
	if err := c.Check(); err != nil {
		return err
	}
	if s.Games > ChunkGames && s.Games%ChunkGames != 0 {
		return fmt.Errorf("games %d: want whole chunks of %d, so that more may be added", s.Games, ChunkGames)
	}
	if m.Stage(s.Name) != nil {
		return fmt.Errorf("stage %s: there are two", s.Name)
	}
	if s.Player != "-" && m.Stage(s.Player) == nil {
		return fmt.Errorf("player %s: no stage before has this name", s.Player)
	}
	start := m.Stage(s.Start)
	if s.Start != "-" && (start == nil || start.Width != s.Width) {
		return fmt.Errorf("start %s: no stage before with %d neurons has this name", s.Start, s.Width)
	}
	if s.Start != "-" && start.Kings != 0 && start.Kings != s.Kings {
		return fmt.Errorf("start %s: it has %d king buckets, the stage %d", s.Start, start.Kings, s.Kings)
	}
	m.Stages = append(m.Stages, s)
	for _, d := range s.Data {
		if m.Stage(d) == nil {
			return fmt.Errorf("data %s: no stage up to this one has this name", d)
		}
	}
	return nil
}

// Stage returns the stage with a name, or nil.
func (m *Manifest) Stage(name string) *Stage {
	for i := range m.Stages {
		if m.Stages[i].Name == name {
			return &m.Stages[i]
		}
	}
	return nil
}

// Chunk returns a known chunk, or nil.
func (m *Manifest) Chunk(stage string, number int) *Chunk {
	for i := range m.Chunks {
		if m.Chunks[i].Stage == stage && m.Chunks[i].Number == number {
			return &m.Chunks[i]
		}
	}
	return nil
}

// Write writes the manifest into a directory.
func (m *Manifest) Write(dir string) error {
	return errors.Join(writeRows(filepath.Join(dir, stagesFile), m.Stages, (*Stage).columns),
		writeRows(filepath.Join(dir, chunksFile), m.Chunks, (*Chunk).columns))
}

// column is a column of a table, and the field of a row that it holds.
type column struct {
	name        string
	field       any     // a pointer
	least, most float64 // of a number
	dash        bool    // instead of 0
}

// columns returns the columns of lineage.tsv.
func (s *Stage) columns() []column {
	return []column{
		{name: "stage", field: &s.Name},
		{name: "commit", field: &s.Commit},
		{name: "search", field: &s.Search, most: mostInt, dash: true},
		{name: "player", field: &s.Player},
		{name: "nodes", field: &s.Nodes, most: 1<<32 - 1, dash: true},
		{name: "chess960", field: &s.Chess960, most: 1},
		{name: "men", field: &s.Men, most: 5},
		{name: "run", field: &s.Run, most: 1<<64 - 1},
		{name: "games", field: &s.Games, least: 1, most: mostGames},
		{name: "data", field: &s.Data},
		{name: "width", field: &s.Width, most: 1 << 16},
		{name: "kings", field: &s.Kings, most: nnue.MaxKingBuckets, dash: true},
		{name: "start", field: &s.Start},
		{name: "rate", field: &s.Rate, most: 1},
		{name: "epochs", field: &s.Epochs, most: 1e6},
		{name: "lambda", field: &s.Lambda, most: 1},
		{name: "scales", field: &s.Scales},
		{name: "seed", field: &s.Seed, most: 1<<64 - 1},
		{name: "positions", field: &s.Positions, most: mostInt, dash: true},
		{name: "network", field: &s.Network},
	}
}

// columns returns the columns of chunks.tsv.
func (c *Chunk) columns() []column {
	return []column{
		{name: "stage", field: &c.Stage},
		{name: "chunk", field: &c.Number, most: mostGames},
		{name: "positions", field: &c.Positions, most: mostInt},
		{name: "sha256", field: &c.Sum},
	}
}

// Bounds of a row.
const (
	mostGames = 1 << 31
	mostInt   = 1 << 40
)

// text returns the field as the table has it.
func (c *column) text() (text string) {
	switch f := c.field.(type) {
	case *[]string:
		return strings.Join(*f, ",")
	case *[]int:
		text = strings.Trim(strings.ReplaceAll(fmt.Sprint(*f), " ", ","), "[]")
	default:
		text = fmt.Sprint(reflect.ValueOf(f).Elem())
	}
	if text == "" || c.dash && text == "0" {
		return "-"
	}
	return text
}

// read sets the field to what text returned.
func (c *column) read(text string) (err error) {
	want := fmt.Sprintf("number from %.0f to %.0f", c.least, c.most)
	number, digits := 0.0, text
	if text == "-" {
		digits = "0"
	}
	switch f := c.field.(type) {
	case *string:
		*f = text
	case *[]string:
		*f = strings.Split(text, ",")
	case *[]int:
		if want = "list such as 120,150, or -"; text != "-" {
			err = json.Unmarshal([]byte("["+text+"]"), f)
		}
		if err == nil && c.text() != text { // null is none
			err = errors.New("another list")
		}
	case *Sum:
		want = "SHA-256 in hexadecimal, or -"
		*f, err = parseSum(text)
	case *int:
		want = "whole " + want
		*f, err = strconv.Atoi(digits)
		number = float64(*f)
	case *uint64:
		want = "whole " + want
		*f, err = strconv.ParseUint(digits, 10, 64)
		number = float64(*f)
	case *float64:
		*f, err = strconv.ParseFloat(text, 64)
		number = *f
	}
	if err != nil || !(number >= c.least && number <= c.most) {
		return fmt.Errorf("%s %q: want a %s", c.name, text, want)
	}
	return nil
}

// line joins what a function returns for each column of a row.
func line(columns []column, text func(*column) string) string {
	fields := make([]string, len(columns))
	for i := range columns {
		fields[i] = text(&columns[i])
	}
	return strings.Join(fields, "\t")
}

func (c *column) title() string { return c.name }

// writeRows writes a table.
func writeRows[T any](name string, rows []T, columns func(*T) []column) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, line(columns(new(T)), (*column).title))
	for i := range rows {
		fmt.Fprintln(&b, line(columns(&rows[i]), (*column).text))
	}
	return files.Write(name, b.Bytes())
}

// readRows calls add with each row of a table. Errors name file and line.
func readRows[T any](dir fs.FS, name string, columns func(*T) []column, add func(T) error) error {
	data, err := fs.ReadFile(dir, name)
	if err != nil {
		return err
	}
	for i, text := range strings.Split(strings.TrimRight(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n"), "\n") {
		var row T
		all, fields := columns(&row), strings.Split(text, "\t")
		switch title := line(all, (*column).title); {
		case len(fields) != len(all):
			err = fmt.Errorf("%s, want %d", plural.Of(len(fields), "field"), len(all))
		case i == 0 && text != title:
			err = fmt.Errorf("columns %q, want %q", text, title)
		case i > 0:
			for at := range all {
				err = cmp.Or(err, all[at].read(fields[at]))
			}
			if err == nil {
				err = add(row)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", name, i+1, err)
		}
	}
	return nil
}
