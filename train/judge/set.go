package judge

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/internal/regular"
	"github.com/tabula-chess/tabula/internal/replace"
)

// Source says where a position was met.
type Source string

// The sources.
const (
	FromGame   Source = "game"   // a ply of a game
	FromSearch Source = "search" // inside a search of such a position
	FromFamily Source = "family" // after one of the moves of such a position
)

var sources = []Source{FromGame, FromSearch, FromFamily}

// Item is a position to judge by.
type Item struct {
	Position *chess.Position
	Score    eval.Score // of the side to move, centipawns
	Source   Source
}

// Games is a file whose games a set was made from.
type Games struct {
	Name      string `json:"name"`
	SHA256    string `json:"sha256"` // of the file
	Positions int    `json:"positions"`
}

// Origin says how a set was made.
type Origin struct {
	Command   string  `json:"command"`
	Commit    string  `json:"commit"`
	Network   string  `json:"network"` // hash of the one that searched
	Seed      uint64  `json:"seed"`
	Engine    string  `json:"engine,omitempty"` // that searched each position instead
	Nodes     uint64  `json:"nodes"`            // of the search of each position
	Positions int     `json:"positions"`
	Families  int     `json:"families,omitempty"`
	Games     []Games `json:"games"`
	Sum       string  `json:"sum"` // SHA-256 of all this, with no sum, and the records
}

// sum returns what Sum is to be for records.
func (o Origin) sum(records []byte) (string, error) {
	o.Sum = ""
	head, err := json.Marshal(o)
	sum := sha256.Sum256(append(head, records...))
	return hex.EncodeToString(sum[:]), err
}

// Set is positions to judge by.
type Set struct {
	Origin   Origin
	Items    []Item
	Families [][]Item // what one position comes to by its moves, for the order of each
}

// A set is a file of EPD records with two lines before them:
//
//	# tabula judge set 1
//	# {origin, JSON}
//	FEN ce centipawns; c0 "game";
//	FEN ce centipawns; c0 "family"; c1 "number";
const setMagic = "# tabula judge set 1"

// write replaces the named file by the set of an origin and its records.
func write(name string, o Origin, records []string) error {
	body := strings.Join(records, "")
	var err error
	if o.Sum, err = o.sum([]byte(body)); err != nil {
		return err
	}
	head, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return replace.File(name, []byte(setMagic+"\n# "+string(head)+"\n"+body))
}

// line returns the record of a position.
func line(p *chess.Position, score eval.Score, from Source) string {
	return fmt.Sprintf("%s ce %d; c0 \"%s\";\n", p.FEN(), score, from)
}

// member returns the record of a position of the family with a number.
func member(p *chess.Position, score eval.Score, family int) string {
	return fmt.Sprintf("%s ce %d; c0 \"%s\"; c1 \"%d\";\n", p.FEN(), score, FromFamily, family)
}

// Read reads the set of a file. The error names the file and its line, or says
// that the content is not what was written.
func Read(name string) (*Set, error) {
	data, err := regular.Read(name)
	if err != nil {
		return nil, err
	}
	s, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// parse reads the content of a file.
func parse(data []byte) (*Set, error) {
	magic, rest, _ := bytes.Cut(data, []byte("\n"))
	if string(magic) != setMagic {
		return nil, fmt.Errorf("line 1: %.40q, want %q: no positions to judge by", magic, setMagic)
	}
	head, body, _ := bytes.Cut(rest, []byte("\n"))
	s := new(Set)
	if err := json.Unmarshal(bytes.TrimPrefix(head, []byte("# ")), &s.Origin); err != nil {
		return nil, fmt.Errorf("line 2: origin: %w", err)
	}
	again, err := json.Marshal(s.Origin)
	if err != nil {
		return nil, err
	}
	sum, err := s.Origin.sum(body)
	if err != nil || sum != s.Origin.Sum || string(head) != "# "+string(again) {
		return nil, errors.New("SHA-256 is not the one in line 2: the file is damaged or was altered")
	}
	for e, err := range chess.EPDs(bufio.NewReader(bytes.NewReader(body))) {
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", len(s.Items)+1, err)
		}
		if err := s.add(e); err != nil {
			return nil, fmt.Errorf("record %d: %w", e.Line, err)
		}
	}
	if len(s.Items)+len(s.Families) == 0 {
		return nil, errors.New("no positions")
	}
	return s, nil
}

// add adds the position of a record. The members of a family follow each other.
func (s *Set) add(e *chess.EPD) error {
	item, err := itemOf(e)
	if err != nil || item.Source != FromFamily {
		s.Items = append(s.Items, item)
		return err
	}
	text, _ := e.Operands("c1")
	last := len(s.Families) - 1
	switch number := strings.Join(text, " "); number {
	case strconv.Itoa(last):
		s.Families[last] = append(s.Families[last], item)
	case strconv.Itoa(last + 1):
		s.Families = append(s.Families, []Item{item})
	default:
		return fmt.Errorf("c1: %q, want the number of this family or of the next", number)
	}
	return nil
}

// itemOf returns the position of a record.
func itemOf(e *chess.EPD) (Item, error) {
	item := Item{Position: e.Position}
	text, _ := e.Operands("ce")
	if len(text) != 1 {
		return item, fmt.Errorf("ce: %d operands, want the score", len(text))
	}
	score, err := strconv.Atoi(text[0])
	if err != nil || eval.Score(score) > eval.Limit || eval.Score(score) < -eval.Limit {
		return item, fmt.Errorf("ce: %q, want centipawns within ±%d", text[0], eval.Limit)
	}
	item.Score = eval.Score(score)
	text, _ = e.Operands("c0")
	if len(text) != 1 || !slices.Contains(sources, Source(text[0])) {
		return item, fmt.Errorf("c0: %q, want one of %q", text, sources)
	}
	item.Source = Source(text[0])
	return item, nil
}
