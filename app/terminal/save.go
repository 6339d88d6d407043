package terminal

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/journal"
	"github.com/tabula-chess/tabula/pgn"
)

// game returns the game so far.
func (g *game) game() *pgn.Game {
	names := [2]string{g.Name, g.Name}
	names[g.Player] = "Player"
	out := &pgn.Game{
		Tags: []pgn.Tag{
			{Name: "Event", Value: "Game against Tabula"}, {Name: "Date", Value: time.Now().Format("2006.01.02")},
			{Name: "White", Value: names[chess.White]}, {Name: "Black", Value: names[chess.Black]},
		},
		Main: pgn.Line{Moves: g.nodes}, Result: g.result,
	}
	if g.Start.FEN() != chess.NewPosition().FEN() {
		out.Start = g.Start
	}
	if g.Base > 0 {
		out.SetTag("TimeControl", fmt.Sprintf("%g+%g", g.Base.Seconds(), g.Inc.Seconds()))
	}
	if why := g.why; why != "" {
		out.SetTag("Termination", why)
	} else {
		out.SetTag("Termination", "unterminated")
	}
	return out
}

// text returns the PGN of the game so far.
func (g *game) text() string {
	var b strings.Builder
	_ = pgn.NewWriter(&b).Write(g.game()) // no error: the moves are legal and the tags ours
	return b.String()
}

// save appends the game to the file or prints it, unless no move has been made. A game that cannot be
// saved is printed too.
func (g *game) save() (err error) {
	if len(g.nodes) == len(g.Moves) {
		return nil
	}
	if g.PGN != "" {
		if err = g.append(); err == nil {
			g.say("saved in %s\n", g.PGN)
			return nil
		}
	}
	g.say("\n%s", g.text())
	return err
}

// append adds the game to the file. Where another game is being added it waits a while.
func (g *game) append() error {
	f, err := journal.OpenFile(g.PGN)
	for try := 0; errors.Is(err, files.ErrInUse) && try < 100; try++ {
		time.Sleep(100 * time.Millisecond)
		f, err = journal.OpenFile(g.PGN)
	}
	if err != nil {
		return err
	}
	text, last := g.text(), []byte("\n")
	if n := f.Size(); n > 0 {
		_, err = f.ReadAt(last, n-1)
	}
	if last[0] != '\n' {
		text = "\n" + text
	}
	return errors.Join(err, f.Append([]byte(text)), f.Close())
}
