// Package lineage rebuilds the networks from nothing, byte for byte.
//
// Each network has a row in lineage.tsv ([Stage]) that says which network played its
// training games, with which settings and seeds, and how it was fitted to them. The
// first stage needs no network: its positions are random and labelled by the values of
// the pieces. A game depends on its row and its number, a fit on its games and its row,
// so whoever runs the rows in order comes to the same networks on any machine.
//
// chunks.tsv has the SHA-256 of each chunk of [ChunkGames] games. It is taken over the
// games in the order of their numbers, each as package record has it in memory, with
// scores rounded by [record.Round]: not over a file, whose format may change.
//
// [Chain] runs the rows and continues after a kill; [Chain.Verify] plays random chunks again.
package lineage

import (
	"bytes"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/train/fit"
)

// ChunkGames is the number of games in a chunk; the last chunk of a stage may have fewer.
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
	Search   uint64   // nodes of that search's bench to BenchDepth with the first network; 0 where none searched yet
	Player   string   // network that plays; "-" for random positions labelled by the values of pieces
	Nodes    uint64   // soft limit of a search
	Chess960 float64  // share of the games
	Men      int      // of the endgame tables that end games and label positions, 0 for none
	Run      uint64   // number of the run, the seed of its games with their own numbers
	Games    int      // from number 0 on
	Data     []string // stages whose games the network is fitted to, in this order
	Width    int      // neurons of a perspective
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

// chunk returns the games of chunk n: the number of the first, and how many.
func (s *Stage) chunk(n int) (first, games int) {
	first = n * ChunkGames
	return first, min(ChunkGames, s.Games-first)
}

// config returns the settings of the stage's fit but for what depends on the data.
func (s *Stage) config() fit.Config {
	c := fit.Default(s.Width)
	c.Epochs, c.Seed = s.Epochs, s.Seed
	return c
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
	err := readRows(dir, stagesFile, stageColumns, func(f []string) error {
		s, err := parseStage(f)
		if err == nil {
			err = m.add(s)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	err = readRows(dir, chunksFile, chunkColumns, func(f []string) error {
		c, err := parseChunk(f)
		if s := m.Stage(c.Stage); err == nil && (s == nil || c.Number < 0 || c.Number >= s.Chunks()) {
			err = fmt.Errorf("chunk %d of %s: there is no such chunk", c.Number, c.Stage)
		}
		m.Chunks = append(m.Chunks, c)
		return err
	})
	return m, err
}

// add appends a stage, which may only use stages before it.
func (m *Manifest) add(s Stage) error {
	if m.Stage(s.Name) != nil {
		return fmt.Errorf("stage %s: there are two", s.Name)
	}
	if s.Player != "-" && m.Stage(s.Player) == nil {
		return fmt.Errorf("player %s: no stage before has this name", s.Player)
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
	var stages, chunks bytes.Buffer
	fmt.Fprintln(&stages, strings.Join(stageColumns, "\t"))
	for i := range m.Stages {
		fmt.Fprintln(&stages, strings.Join(m.Stages[i].fields(), "\t"))
	}
	fmt.Fprintln(&chunks, strings.Join(chunkColumns, "\t"))
	for _, c := range m.Chunks {
		fmt.Fprintf(&chunks, "%s\t%d\t%d\t%v\n", c.Stage, c.Number, c.Positions, c.Sum)
	}
	return errors.Join(files.Write(filepath.Join(dir, stagesFile), stages.Bytes()),
		files.Write(filepath.Join(dir, chunksFile), chunks.Bytes()))
}

var (
	stageColumns = strings.Fields("stage commit search player nodes chess960 men run games data width epochs lambda " +
		"scales seed positions network")
	chunkColumns = strings.Fields("stage chunk positions sha256")
)

// fields returns the row of a stage.
func (s *Stage) fields() []string {
	float := func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
	number := func(n uint64) string {
		if n == 0 {
			return "-"
		}
		return strconv.FormatUint(n, 10)
	}
	scales := make([]string, len(s.Scales))
	for i, v := range s.Scales {
		scales[i] = strconv.Itoa(v)
	}
	return []string{
		s.Name, s.Commit, number(s.Search), s.Player, number(s.Nodes), float(s.Chess960), strconv.Itoa(s.Men),
		strconv.FormatUint(s.Run, 10), strconv.Itoa(s.Games), strings.Join(s.Data, ","), strconv.Itoa(s.Width),
		float(s.Epochs), float(s.Lambda), orDash(strings.Join(scales, ",")), strconv.FormatUint(s.Seed, 10),
		number(uint64(s.Positions)), s.Network.String(),
	}
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// parser reads fields of a row and keeps the first error.
type parser struct {
	columns, fields []string
	at              int
	err             error
}

func (p *parser) next() string {
	p.at++
	return p.fields[p.at-1]
}

func (p *parser) fail(reason string) {
	if p.err == nil {
		p.err = fmt.Errorf("%s %q: %s", p.columns[p.at-1], p.fields[p.at-1], reason)
	}
}

// number returns a whole number of at most 64 bits, 0 for "-".
func (p *parser) number(most uint64) uint64 {
	text := p.next()
	if text == "-" {
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n > most {
		p.fail(fmt.Sprintf("want a whole number of at most %d", most))
	}
	return n
}

// float returns a number from 0 to most.
func (p *parser) float(most float64) float64 {
	f, err := strconv.ParseFloat(p.next(), 64)
	if err != nil || !(f >= 0 && f <= most) {
		p.fail(fmt.Sprintf("want a number from 0 to %v", most))
	}
	return f
}

func (p *parser) sum() Sum {
	s, err := parseSum(p.next())
	if err != nil {
		p.fail("want a SHA-256 in hexadecimal")
	}
	return s
}

// Bounds of a row.
const (
	mostGames = 1 << 31
	mostInt   = 1 << 40
)

// parseStage reads what fields returns.
func parseStage(fields []string) (s Stage, err error) {
	p := &parser{columns: stageColumns, fields: fields}
	s.Name, s.Commit = p.next(), p.next()
	s.Search = p.number(mostInt)
	s.Player = p.next()
	s.Nodes = p.number(1<<32 - 1)
	s.Chess960 = p.float(1)
	s.Men = int(p.number(5))
	s.Run = p.number(1<<64 - 1)
	if s.Games = int(p.number(mostGames)); s.Games == 0 {
		p.fail("want at least 1")
	}
	s.Data = strings.Split(p.next(), ",")
	s.Width = int(p.number(1 << 16))
	s.Epochs = p.float(1e6)
	s.Lambda = p.float(1)
	if text := p.next(); text != "-" {
		for _, t := range strings.Split(text, ",") {
			v, err := strconv.Atoi(t)
			if err != nil {
				p.fail("want whole numbers with commas between them")
			}
			s.Scales = append(s.Scales, v)
		}
	}
	s.Seed = p.number(1<<64 - 1)
	s.Positions = int(p.number(mostInt))
	s.Network = p.sum()
	if c := s.config(); p.err == nil {
		p.err = c.Check()
	}
	return s, p.err
}

func parseChunk(fields []string) (c Chunk, err error) {
	p := &parser{columns: chunkColumns, fields: fields}
	c.Stage = p.next()
	c.Number = int(p.number(mostGames))
	c.Positions = int(p.number(mostInt))
	c.Sum = p.sum()
	return c, p.err
}

// readRows calls row with the fields of each row of a table. Errors name file and line.
func readRows(dir fs.FS, name string, columns []string, row func(fields []string) error) error {
	data, err := fs.ReadFile(dir, name)
	if err != nil {
		return err
	}
	for i, line := range strings.Split(strings.TrimRight(string(data), "\r\n"), "\n") {
		fields := strings.Split(strings.TrimRight(line, "\r"), "\t")
		switch {
		case len(fields) != len(columns):
			err = fmt.Errorf("%d fields, want %d", len(fields), len(columns))
		case i == 0 && !slices.Equal(fields, columns):
			err = fmt.Errorf("columns %v, want %v", fields, columns)
		case i > 0:
			err = row(fields)
		}
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", name, i+1, err)
		}
	}
	return nil
}
