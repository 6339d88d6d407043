package session

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/internal/journal"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/review"
)

// reviewsName is the journal of reviewed games in the home directory.
const reviewsName = "reviews.journal"

// sheet is what is stored of a reviewed game.
type sheet struct {
	Key       string        `json:"key"`
	Sheet     *review.Sheet `json:"sheet"`
	Exercises string        `json:"exercises"` // PGN, of both sides
}

// sheets are the reviewed games. The journal stays open, so that one process at a time has them.
type sheets struct {
	mu      sync.Mutex
	journal *journal.Journal
	all     map[string]*sheet
}

// open reads the journal, once.
func (s *sheets) open(home string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened(home)
}

// opened is open with the lock held.
func (s *sheets) opened(home string) error {
	if s.journal != nil {
		return nil
	}
	if home == "" {
		return errNoHome
	}
	if err := os.MkdirAll(home, 0o777); err != nil {
		return err
	}
	all := map[string]*sheet{}
	file, err := journal.Open(filepath.Join(home, reviewsName), func(_ journal.Location, text []byte) error {
		var one sheet
		err := json.Unmarshal(text, &one)
		if all[one.Key] = &one; one.Sheet == nil {
			delete(all, one.Key)
		}
		return err
	})
	if err == nil {
		s.journal, s.all = file, all
	}
	return err
}

func (s *sheets) get(key string) *sheet {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[key]
}

func (s *sheets) put(one *sheet) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.journal == nil {
		return errors.New("the games were deleted")
	}
	s.all[one.Key] = one
	_, err := s.journal.Append(one)
	return err
}

func (s *sheets) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.journal != nil {
		_ = s.journal.Close() // each record is on the disk
		s.journal = nil
	}
}

// remove deletes all reviews.
func (s *sheets) remove(home string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.opened(home); err != nil {
		return err
	}
	file := s.journal
	s.journal, s.all = nil, nil
	return file.Remove()
}

// surveyFields are the fields of survey.
type surveyFields struct {
	games.Filter
	Review int       `json:"review"` // how many games to review that were not reviewed, the last ones first
	Limits NodeLimit `json:"limits"`
	By     string    `json:"by"`   // with name: list the mistakes of a row of this table
	Name   string    `json:"name"` // of the row
	Learn  bool      `json:"learn"`
	Clock  bool      `json:"clock"` // add the table of clocks, which reads all games
}

// SurveyTable is a table of a survey.
type SurveyTable struct {
	By   string       `json:"by"` // opening, phase, color or motif
	Rows []review.Row `json:"rows"`
}

// Slip is a move with a judgment.
type Slip struct {
	Game     games.Listed    `json:"game"`
	Ply      int             `json:"ply"`
	Number   int             `json:"number"` // of the move
	SAN      string          `json:"san"`
	Side     string          `json:"side"`
	Judgment review.Judgment `json:"judgment"`
	Motif    string          `json:"motif"`
}

// Survey is the result of survey: what the reviews of many games say.
type Survey struct {
	Known    bool          `json:"known"`    // there is a database
	Games    int           `json:"games"`    // that the filter leaves
	Reviewed int           `json:"reviewed"` // of these
	Tables   []SurveyTable `json:"tables"`
	Slips    []Slip        `json:"slips"`   // of the row, the last games first; at most maxSlips
	Slipped  int           `json:"slipped"` // how many there are
	Added    int           `json:"added"`   // exercises, with learn

	Clock *review.ClockTable `json:"clock,omitempty"` // with clock
}

// Surveying is the progress of a survey.
type Surveying struct {
	Done  int          `json:"done"` // games
	Total int          `json:"total"`
	Left  int64        `json:"left,omitempty"` // estimate in ms; 0 while unknown
	Game  games.Listed `json:"game"`           // the one under way
}

// maxSlips bounds the moves that are listed.
const maxSlips = 500

// surveyNodes is how much each position is searched where nothing else is asked for.
const surveyNodes = 25_000

// surveyed is a game of a survey.
type surveyed struct {
	games.Listed
	key   string
	sides [2]bool // that count
}

// survey answers survey.
func (e *engines) survey(c *call, f *surveyFields) (any, error) {
	options, err := f.Limits.options(surveyNodes)
	if err != nil {
		return nil, err
	}
	if f.By != "" && !slices.Contains(review.Groups(), f.By) {
		return nil, fault("by", "%.40q, want one of %s", f.By, strings.Join(review.Groups(), ", "))
	}
	if err := within("review", int64(f.Review), 0, 1<<31); err != nil {
		return nil, err
	}
	return work(func() (any, error) {
		all, err := e.surveyed(c, f.Filter)
		if errors.Is(err, games.ErrNone) {
			return &Survey{Tables: []SurveyTable{}, Slips: []Slip{}}, nil
		}
		if err == nil {
			err = e.sheets.open(e.config.Home)
		}
		if err != nil {
			return nil, err
		}
		if f.Review > 0 {
			// What was reviewed before a stop counts.
			if err := e.reviewAll(c, all, f.Review, options); err != nil && !c.stopped() {
				return nil, err
			}
		}
		out, err := e.sum(all, f)
		if err == nil && f.Clock {
			out.Clock, err = e.clockTable(c, f.Filter)
		}
		return out, err
	}), nil
}

// surveyed returns the games that a filter leaves, the last ones first.
func (e *engines) surveyed(c *call, filter games.Filter) (all []surveyed, err error) {
	err = e.withGames(c, func(ctx context.Context, db *games.DB) error {
		for found, err := range db.Find(ctx, games.Query{Filter: filter}) {
			if err != nil {
				return err
			}
			all = append(all, surveyed{found.Listed, sheetKey(&found.Listed), filter.Sides(&found.Listed)})
		}
		return nil
	})
	slices.Reverse(all)
	return all, err
}

// reviewAll reviews at most so many games that were not reviewed.
func (e *engines) reviewAll(c *call, all []surveyed, most int, o review.Options) error {
	var due []surveyed
	for _, g := range all {
		if len(due) < most && e.sheets.get(g.key) == nil {
			due = append(due, g)
		}
	}
	began := time.Now()
	for i, g := range due {
		now := &Surveying{Done: i, Total: len(due), Game: g.Listed}
		if i > 0 {
			now.Left = millis(time.Since(began)) * int64(len(due)-i) / int64(i)
		}
		c.progress(now)
		one, err := e.reviewOne(c, g, o)
		if err == nil {
			err = e.sheets.put(one)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reviewOne reviews one game of the database, which is closed meanwhile.
func (e *engines) reviewOne(c *call, g surveyed, o review.Options) (*sheet, error) {
	var game *pgn.Game
	err := e.withGames(c, func(_ context.Context, db *games.DB) error {
		found, err := db.Game(g.Number)
		if err == nil {
			game, err = found.Game()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	one := &sheet{Key: g.key}
	return one, e.withReviewer(c, func(ctx context.Context, engine review.Engine) error {
		o.NoPuzzles = true
		report, err := review.Game(ctx, engine, game, o, nil)
		if err != nil {
			return err
		}
		one.Sheet = report.Sheet(game)
		one.Exercises, err = exercisesOf(report, game)
		return err
	})
}

// sum makes the tables.
func (e *engines) sum(all []surveyed, f *surveyFields) (*Survey, error) {
	out := &Survey{Known: true, Games: len(all), Tables: []SurveyTable{}, Slips: []Slip{}}
	var tables []*review.Table
	var lessons [2]strings.Builder
	for _, by := range review.Groups() {
		tables = append(tables, review.NewTable(by))
	}
	for _, g := range all {
		one := e.sheets.get(g.key)
		if one == nil {
			continue
		}
		out.Reviewed++
		for _, t := range tables {
			t.Add(one.Sheet, g.sides)
		}
		for i := range one.Sheet.Moves {
			m := &one.Sheet.Moves[i]
			side, err := chess.ParseColor(m.Side)
			if f.By == "" || m.Judgment == "" || err != nil || !g.sides[side] || one.Sheet.Group(f.By, m) != f.Name {
				continue
			}
			if out.Slipped++; out.Slipped <= maxSlips {
				out.Slips = append(out.Slips, Slip{g.Listed, m.Ply, m.Number, m.SAN, m.Side, m.Judgment, m.Motif})
			}
		}
		for side, counts := range g.sides {
			if f.Learn && counts {
				lessons[side].WriteString(one.Exercises)
			}
		}
	}
	if f.Learn {
		learned, err := e.addExercises(lesson{lessons[chess.White].String(), new(chess.White)}, lesson{lessons[chess.Black].String(), new(chess.Black)})
		if err != nil {
			return nil, of("learn", err)
		}
		out.Added = learned.Added
	}
	for i, t := range tables {
		out.Tables = append(out.Tables, SurveyTable{review.Groups()[i], t.Rows()})
	}
	return out, nil
}
