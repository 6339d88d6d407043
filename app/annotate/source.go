package annotate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/pgn"
)

// survey is the result of a first pass over the inputs.
type survey struct {
	plies int64    // positions in all games, -1 if the inputs cannot be read twice
	sizes []int    // positions in each game, 0 for an unreadable game
	sums  []string // SHA-256 of each input, hexadecimal
}

// resumable reports whether the same command can be repeated.
func (s *Settings) resumable() bool { return s.Out != Stdio && !slices.Contains(s.Files, Stdio) }

// survey reads the inputs once, if possible, to learn the amount of work and which inputs they are.
func (s *Settings) survey(ctx context.Context) (known survey, err error) {
	all := int64(0)
	for _, name := range s.Files {
		if name != Stdio {
			if err := files.Check(name); err != nil {
				return known, exit.WrongUse(err)
			}
			if info, err := os.Stat(name); err == nil {
				all += info.Size()
			}
		}
	}
	if slices.Contains(s.Files, Stdio) {
		return survey{plies: -1}, nil
	}
	bar := command.NewBar(s.Err, all, "")
	defer bar.Close()
	games := s.source(io.Discard, bar)
	defer games.close()
	for {
		e, err := games.read(ctx)
		switch {
		case err == io.EOF:
			known.sums = games.sums
			return known, nil
		case err != nil:
			return known, err
		case ctx.Err() != nil:
			return known, exit.ErrInterrupted
		}
		size := 0
		if !e.bad {
			size = len(e.moves) + 1
		}
		known.sizes, known.plies = append(known.sizes, size), known.plies+int64(size)
	}
}

// source reads the games of the inputs, one after another.
type source struct {
	*Settings
	log   io.Writer    // gets warnings, and what is unreadable
	bar   *command.Bar // counts the bytes that are read
	names []string     // of the inputs that are not open yet
	sums  []string     // of those that were read: SHA-256, hexadecimal

	// The open input:
	name string
	in   io.ReadCloser // nil for none
	pgn  *pgn.Reader
	text passage
	sum  hash.Hash
}

// source returns what reads the games.
func (s *Settings) source(log io.Writer, bar *command.Bar) *source {
	return &source{Settings: s, log: log, bar: bar, names: s.Files}
}

// sourceGame is a game of an input.
type sourceGame struct {
	text  []byte       // that a reader reads as this game; of an unreadable one, the original text and an empty line
	size  int          // of the original text
	moves []chess.Move // played
	bad   bool         // unreadable
	short bool         // shortened
}

// read returns the next game. The error is io.EOF behind the last.
func (r *source) read(ctx context.Context) (*sourceGame, error) {
	for {
		if r.in == nil {
			if len(r.names) == 0 {
				return nil, io.EOF
			}
			if err := r.open(ctx); err != nil {
				return nil, exit.WrongUse(err)
			}
		}
		g, err := r.pgn.Read()
		if err != io.EOF {
			return r.entry(g, err)
		}
		if r.text.games == 0 {
			fmt.Fprintf(r.log, "%s: no games\n", r.name)
		}
		r.sums = append(r.sums, hex.EncodeToString(r.sum.Sum(nil)))
		r.close()
	}
}

// open opens the next input.
func (r *source) open(ctx context.Context) (err error) {
	r.name, r.names = r.names[0], r.names[1:]
	if r.name == Stdio {
		command.Awaits(r.In, r.Err, "annotate reads PGN until Ctrl-D")
		r.name, r.in = "standard input", io.NopCloser(files.Until(ctx, r.In))
	} else if r.in, err = os.Open(r.name); err != nil {
		return err
	}
	r.text, r.sum = passage{}, sha256.New()
	r.pgn = pgn.NewReader(io.TeeReader(r.in, io.MultiWriter(r.sum, &r.text, r.bar)))
	r.bar.Describe("no games yet, " + r.name)
	return nil
}

// close closes the open input.
func (r *source) close() {
	if r.in != nil {
		r.in.Close()
		r.in = nil
	}
}

// entry returns the entry of a game that was read, or of the error in its place.
func (r *source) entry(g *pgn.Game, err error) (*sourceGame, error) {
	inLine := r.text.inLine
	text := r.text.upTo(r.pgn.InputOffset())
	r.bar.Describe(plural.Of(r.text.games, "game") + ", " + r.name)
	e := &sourceGame{size: len(text)}
	if err == nil && r.Strict && g.Shortened {
		err = g.Warning
	}
	if err == nil {
		if g.Warning != nil {
			fmt.Fprintf(r.log, "warning: %s: %v\n", r.name, g.Warning)
		}
		// What is not at the beginning of the input, or of a line, must not seem to be.
		before := "\n\n"
		if inLine {
			before = "  "
		} else if r.text.games == 1 {
			before = ""
		}
		e.text, e.moves, e.short = append([]byte(before), text...), played(g), g.Shortened
		return e, nil
	}
	var bad *pgn.Error
	if !errors.As(err, &bad) {
		return nil, fmt.Errorf("%s: %w", r.name, err)
	}
	fmt.Fprintf(r.log, "%s: %v\n", r.name, bad)
	text = bytes.Trim(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), "\r\n")
	e.text, e.bad = append(bytes.Clone(text), "\n\n"...), true
	return e, nil
}

// played returns the moves of the main line.
func played(g *pgn.Game) (all []chess.Move) {
	for i := range g.Main.Moves {
		all = append(all, g.Main.Moves[i].Move)
	}
	return all
}

// passage is the part of an input that has been read but not yet taken by upTo. Its size is
// bounded, so that a file without games cannot fill the memory.
type passage struct {
	text   []byte
	from   int64 // its offset in the input
	games  int   // games before it
	inLine bool  // it begins within a line
}

// Write appends b.
func (p *passage) Write(b []byte) (int, error) {
	if len(p.text)+len(b) > 2*pgn.MaxGameSize {
		return 0, fmt.Errorf("game %d: more than %d MiB", 1+p.games, 2*pgn.MaxGameSize>>20)
	}
	p.text = append(p.text, b...)
	return len(b), nil
}

// upTo takes the text before an offset of the input.
func (p *passage) upTo(offset int64) []byte {
	text := p.text[:offset-p.from]
	p.text, p.from = p.text[len(text):], offset
	if len(text) > 0 {
		p.inLine = !bytes.ContainsAny(text[len(text)-1:], "\r\n")
	}
	p.games++
	return text
}
