package uci

import "github.com/tabula-chess/tabula/search"

// maxSkill is the Skill Level without a limit, skillStep the Elo between the
// levels below it.
const (
	maxSkill  = 20
	skillStep = (search.MostElo - search.LeastElo) / maxSkill
)

// defaultElo is the UCI_Elo that nobody has set.
const defaultElo = 1320

// strength is what options and games say of how well to play.
type strength struct {
	limited  bool // UCI_LimitStrength
	elo      int  // UCI_Elo
	skill    int  // Skill Level
	analysis bool // UCI_AnalyseMode
	game     uint64
}

// played returns the strength of a search.
func (s *strength) played() search.Strength {
	switch {
	case s.analysis:
	case s.limited:
		return search.Strength{Elo: s.elo, Game: s.game}
	case s.skill < maxSkill:
		return search.Strength{Elo: search.LeastElo + s.skill*skillStep, Game: s.game}
	}
	return search.Strength{}
}

// holdStrength makes the engine play as the options say. That may clear its
// table, so it is done when an option is set or a game begins, before a clock runs.
func (s *session) holdStrength() error { return s.engine.SetStrength(s.set.strength.played()) }
