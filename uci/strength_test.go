package uci

import (
	"slices"
	"strings"
	"testing"
)

// TestStrengthOptions holds which of the options of strength counts.
func TestStrengthOptions(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  []string
		want string // the last that the engine heard, "" for nothing
	}{
		{"Elo alone", []string{"UCI_Elo value 2000"}, "elo 0"},
		{"both", []string{"UCI_Elo value 2000", "UCI_LimitStrength value true"}, "elo 2000"},
		{"in the other order", []string{"UCI_LimitStrength value true", "UCI_Elo value 2000"}, "elo 2000"},
		{"the limit alone", []string{"UCI_LimitStrength value true"}, "elo 1320"},
		{"off again", []string{"UCI_Elo value 2000", "UCI_LimitStrength value true", "UCI_LimitStrength value false"}, "elo 0"},
		{"skill", []string{"Skill Level value 0"}, "elo 800"},
		{"highest skill", []string{"Skill Level value 3", "Skill Level value 20"}, "elo 0"},
		{"Elo before skill", []string{"Skill Level value 3", "UCI_LimitStrength value true", "UCI_Elo value 1900"}, "elo 1900"},
		{"analysis", []string{"UCI_LimitStrength value true", "UCI_AnalyseMode value true"}, "elo 0"},
		{"after analysis", []string{"UCI_LimitStrength value true", "UCI_AnalyseMode value true", "UCI_AnalyseMode value false"}, "elo 1320"},
		{"below the range", []string{"UCI_LimitStrength value true", "UCI_Elo value 100"}, "elo 800"},
	} {
		var input strings.Builder
		for _, s := range tt.set {
			input.WriteString("setoption name " + s + "\n")
		}
		e := &fakeEngine{}
		script(t, e, testConfig, input.String())
		var heard []string
		for _, event := range e.events {
			if strings.HasPrefix(event, "elo ") {
				heard = append(heard, event)
			}
		}
		if len(heard) == 0 || heard[len(heard)-1] != tt.want {
			t.Errorf("%s: the engine heard %q, want %q at the end", tt.name, heard, tt.want)
		}
	}
}

// TestEachGameHasItsMistakes: ucinewgame draws the number of the game, and nothing
// else does.
func TestEachGameHasItsMistakes(t *testing.T) {
	e := &fakeEngine{}
	script(t, e, testConfig, "setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 1500\nucinewgame\nposition startpos\ngo depth 1\nwait\nucinewgame\n")
	games := e.games
	if len(games) != 4 || games[0] != games[1] || games[1] == games[2] || games[2] == games[3] {
		t.Errorf("numbers of the games: %v, want two alike and two others", games)
	}
	if slices.Contains(games, 0) {
		t.Errorf("a game has no number: %v", games)
	}
}
