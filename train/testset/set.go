// Package testset makes test sets of positions and measures the losses of networks on them.
//
// [Make] makes a set, which then stays unchanged. Half of its positions come from games,
// half from inside searches, where networks are used most. Each has the score of a search
// that is far longer than those of training games. As in a fit, there are no positions in
// check and none whose best move captures or promotes. Another engine may do the searches.
//
// The loss of a network is the mean squared difference between its win probability and
// the search's. A lower loss does not prove a stronger network, which only games can do;
// a higher loss shows where a network became worse ([Set.Phases]).
package testset

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
	"github.com/tabula-chess/tabula/internal/files"
)

// Source is the source of a position.
type Source string

// The sources.
const (
	FromGame   Source = "game"   // a ply of a game
	FromSearch Source = "search" // inside a search of such a position
)

var sources = []Source{FromGame, FromSearch}

// Item is a position of a set.
type Item struct {
	Position *chess.Position
	Score    eval.Score // of the side to move, centipawns
	Source   Source
}

// Origin describes how a set was made.
type Origin struct {
	Command   string   `json:"command"`
	Commit    string   `json:"commit"`
	Network   string   `json:"network"`          // hash of the network that searched
	Engine    string   `json:"engine,omitempty"` // that searched instead of Network
	Seed      uint64   `json:"seed"`
	Nodes     uint64   `json:"nodes"` // of the search of each position
	Positions int      `json:"positions"`
	Games     []string `json:"games"` // names of the files
	Sum       string   `json:"sum"`   // SHA-256 of all this without Sum, and of the records
}

// sum returns what Sum is to be for records.
func (o Origin) sum(records []byte) (string, error) {
	o.Sum = ""
	head, err := json.Marshal(o)
	sum := sha256.Sum256(append(head, records...))
	return hex.EncodeToString(sum[:]), err
}

// Set is a test set.
type Set struct {
	Origin Origin
	Items  []Item
}

// A set is a file of EPD records with two lines before them:
//
//	# tabula test set 1
//	# {origin, JSON}
//	FEN ce centipawns; c0 "game";
const setMagic = "# tabula test set 1"

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
	return files.Write(name, []byte(setMagic+"\n# "+string(head)+"\n"+body))
}

// line returns the record of a position.
func line(p *chess.Position, score eval.Score, from Source) string {
	return fmt.Sprintf("%s ce %d; c0 \"%s\";\n", p.FEN(), score, from)
}

// Read reads a set from a file. The error names the file and the record, or says that the content was changed.
func Read(name string) (*Set, error) {
	data, err := files.Read(name)
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
		return nil, fmt.Errorf("line 1: %.40q, want %q: not a test set", magic, setMagic)
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
		item, err := itemOf(e)
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", e.Line, err)
		}
		s.Items = append(s.Items, item)
	}
	if len(s.Items) == 0 {
		return nil, errors.New("no positions")
	}
	return s, nil
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
