//go:build !tabula_rules

package session

import (
	"errors"
	"path/filepath"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/games"
)

// Tally counts results. Ratings count only games in which both players have one.
type Tally struct {
	Games       int `json:"games"` // those without a result too
	White       int `json:"white"`
	Draws       int `json:"draws"`
	Black       int `json:"black"`
	Rating      int `json:"rating,omitempty"`
	Performance int `json:"performance,omitempty"` // of the side to move
	Year        int `json:"year,omitempty"`        // of the last game
}

// Tried is a move and the results of the games with it.
type Tried struct {
	Move
	Total Tally `json:"total"`
}

// Listed is a game of the database.
type Listed struct {
	Number   int    `json:"number"` // for game
	White    string `json:"white"`
	Black    string `json:"black"`
	WhiteElo int    `json:"whiteElo,omitempty"`
	BlackElo int    `json:"blackElo,omitempty"`
	Result   string `json:"result"`
	Date     string `json:"date"`
	Event    string `json:"event"`
}

// Explored is the result of explore: what was played in a position.
type Explored struct {
	Known  bool     `json:"known"` // there is a database
	Total  Tally    `json:"total"`
	Moves  []Tried  `json:"moves"`
	Top    []Listed `json:"top"`
	Latest []Listed `json:"latest"`
}

// exploreFields are the fields of explore.
type exploreFields struct {
	Position Place  `json:"position"`
	Player   string `json:"player"`
	Color    string `json:"color"`
	Rating   int    `json:"rating"`
	Since    string `json:"since"`
	Result   string `json:"result"`
}

// filterOf reads the fields that filter games.
func filterOf(player, colorName string, rating int, from, resultText string) (games.Filter, *Error) {
	out := games.Filter{Player: player, MinRating: rating}
	if colorName != "" {
		color, err := chess.ParseColor(colorName)
		if err != nil {
			return out, fault("color", "%v", err)
		}
		out.Color = &color
	}
	if resultText != "" {
		result, err := chess.ParseResult(resultText)
		if err != nil {
			return out, fault("result", "%v", err)
		}
		out.Result = &result
	}
	if from != "" {
		since, err := games.ParseDate(from)
		if err != nil {
			return out, fault("since", "%v", err)
		}
		out.Since = since
	}
	return out, nil
}

// explore answers explore.
func (s *Session) explore(_ *call, f *exploreFields) (work, *Error) {
	p, wrong := f.Position.read(nil)
	if wrong != nil {
		return nil, wrong
	}
	filter, wrong := filterOf(f.Player, f.Color, f.Rating, f.Since, f.Result)
	if wrong != nil {
		return nil, wrong
	}
	return func(c *call) (any, *Error) {
		out := &Explored{Moves: []Tried{}, Top: []Listed{}, Latest: []Listed{}}
		err := s.withGames(c, func(db *games.DB) error {
			r, err := db.Show(c.ctx, p, filter)
			if err != nil {
				return err
			}
			out.Known, out.Total, out.Top, out.Latest = true, Tally(r.Total), listed(r.Top), listed(r.Latest)
			for _, m := range r.Moves {
				out.Moves = append(out.Moves, Tried{describe(p, m.Move), Tally(m.Count)})
			}
			return nil
		})
		if err != nil && !errors.Is(err, games.ErrNone) {
			return nil, fault("", "%v", err)
		}
		return out, nil
	}, nil
}

func listed(found []*games.Found) []Listed {
	out := []Listed{}
	for _, f := range found {
		out = append(out, Listed{f.Number, f.White, f.Black, f.WhiteElo, f.BlackElo, f.Result.String(), f.Date, f.Event})
	}
	return out
}

// withGames waits for the session's turn and calls use with the current state of the database.
func (s *Session) withGames(c *call, use func(*games.DB) error) error {
	leave, err := s.enter(c.ctx, reading)
	if err != nil {
		return err
	}
	defer leave()
	if s.service.config.Home == "" {
		return games.ErrNone
	}
	db, err := games.Open(s.service.gamesDir())
	if err != nil {
		return err
	}
	return errors.Join(use(db), db.Close())
}

// gamesDir returns the directory of the database.
func (s *Service) gamesDir() string { return filepath.Join(s.config.Home, "games") }

// gameFields are the fields of game.
type gameFields struct {
	Number int `json:"number"`
}

// game answers game.
func (s *Session) game(_ *call, f *gameFields) (work, *Error) {
	return func(c *call) (any, *Error) {
		var out Game
		err := s.withGames(c, func(db *games.DB) error {
			found, err := db.Game(f.Number)
			if err != nil {
				return err
			}
			g, err := found.Game()
			if err == nil {
				_, err = measure(g, MaxMessage)
			}
			if err == nil {
				out = gameOf(g, f.Number)
			}
			return err
		})
		if err != nil {
			return nil, fault("number", "%v", err)
		}
		return &out, nil
	}, nil
}
