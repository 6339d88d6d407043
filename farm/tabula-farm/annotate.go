package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/tabula-chess/tabula/app/annotate"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/uci"
)

// annotateRun is the kind of run that reviews games. A job is a few games at fixed nodes; what it comes to is
// the text that tabula annotate writes of them, the same byte for byte on every machine whose engine has the same
// bench. One job in fifty is done by two machines.
// Its inputs are the texts of its jobs, in their order.
type annotateRun struct {
	Nodes uint64 `json:"nodes"` // of each position
	Games []int  `json:"games"` // of each job, bad ones counted

	run.Blocks `json:"-"`
	Read       int `json:"-"` // games that were folded
	Bad        int `json:"-"` // of them, games that cannot be read
}

func (p *annotateRun) order(_ context.Context, s *spec, _ place) (title string, inputs [][]byte, err error) {
	p.Nodes = s.Nodes
	text, err := files.Read(s.A)
	if err != nil {
		return "", nil, err
	}
	inputs, err = p.split(text, perJob(s.Nodes, 100), len(text)/10_000) // the manifest names the text of each job
	return filepath.Base(s.A) + ", " + plural.Of(p.Nodes, "node"), inputs, err
}

func (p *annotateRun) result(out io.Writer, st run.Outcome) error {
	if p.Bad > 0 {
		return fmt.Errorf("%d of %s could not be read", p.Bad, plural.Of(p.Read, "game"))
	}
	return summary(out, st)
}

// split divides the games of a text into the texts of jobs: each has a number of games and of bytes at least, but for
// the last one.
func (p *annotateRun) split(text []byte, least, bytesLeast int) (parts [][]byte, err error) {
	reader := pgn.NewReader(bytes.NewReader(text))
	games, begin := 0, 0
	end := func(at int) {
		p.Games, parts = append(p.Games, games), append(parts, text[begin:at])
		games, begin = 0, at
	}
	for _, err := range reader.Games() {
		if bad := (*pgn.Error)(nil); err != nil && !errors.As(err, &bad) {
			return nil, err
		}
		at := int(reader.InputOffset())
		if games++; games >= least && at-begin >= bytesLeast {
			end(at)
		}
	}
	if games > 0 {
		end(len(text))
	}
	return parts, nil
}

func (p *annotateRun) Check() error {
	limits := review.Limits{Nodes: p.Nodes}
	if err := limits.Check(); err != nil {
		return fmt.Errorf("nodes: %w", err)
	}
	if len(p.Games) == 0 {
		return errors.New("there are no games")
	}
	for i, n := range p.Games {
		if n < 1 {
			return fmt.Errorf("job %d: %d games", i, n)
		}
	}
	return nil
}

func (p *annotateRun) Jobs() int { return len(p.Games) }

func (p *annotateRun) Twice() int { return 50 }

func (p *annotateRun) Do(ctx context.Context, j run.Job, in run.Inputs) ([]byte, float64, error) {
	text, err := in(ctx, j.Index)
	if err != nil {
		return nil, 0, err
	}
	tables, err := syzygy.Open()
	if err != nil {
		return nil, 0, err
	}
	defer tables.Close()
	var out bytes.Buffer
	err = annotate.Run(ctx, annotate.Settings{
		Files: []string{annotate.Stdio}, In: bytes.NewReader(text), Out: annotate.Stdio, Stdout: &out, Err: io.Discard,
		Limits: review.Limits{Nodes: p.Nodes}, Threads: 1, Hash: uci.DefaultHash, Tables: tables,
	})
	if errors.Is(err, annotate.ErrUnread) {
		err = nil // such games are copied as they are
	}
	return out.Bytes(), float64(p.Games[j.Index]), err
}

// gamesOf returns the number of games of a text, and how many of them cannot be read.
func gamesOf(text []byte) (games, bad int) {
	for _, err := range pgn.NewReader(bytes.NewReader(text)).Games() {
		if games++; err != nil {
			bad++
		}
	}
	return games, bad
}

func (p *annotateRun) Add(j run.Job, text []byte) error {
	games, bad := gamesOf(text)
	if want := p.Games[j.Index]; games != want {
		return fmt.Errorf("annotate: job %d: %s, want %d", j.Index, plural.Of(games, "game"), want)
	}
	p.Read, p.Bad, p.Folded = p.Read+games, p.Bad+bad, p.Folded+1
	return nil
}

func (p *annotateRun) Text() string {
	text := fmt.Sprintf("%s in %s of %d", plural.Of(p.Read, "game"), plural.Of(p.Folded, "job"), p.Jobs())
	if p.Bad > 0 {
		text += fmt.Sprintf(", %d could not be read", p.Bad)
	}
	return text
}
