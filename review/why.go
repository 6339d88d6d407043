package review

import (
	"fmt"
	"strings"

	"github.com/tabula-chess/tabula/chess"
)

// Why says why a move was a mistake: a claim that a search has proved, see the package's documentation. The claim is
// about the key move of a tactic, which the other side has after the mistake, or which the mover had before it.
type Why struct {
	Text   string `json:"text"`             // the claim as a sentence, made of the fields below
	Missed bool   `json:"missed,omitempty"` // the mover had the tactic; otherwise the move allows it
	Tactic Tactic `json:"tactic"`
	Move   string `json:"move"` // the key move in SAN with its number: "24. Nc7+"
	UCI    string `json:"uci"`

	By      *Man  `json:"by,omitempty"`      // that attacks, after the key move; before it, of a hanging piece
	Targets []Man `json:"targets,omitempty"` // that it attacks, or that hangs
	Guard   *Man  `json:"guard,omitempty"`   // the only defender of the target, where it stood before it moved away

	Attackers int `json:"attackers,omitempty"` // of a hanging piece
	Defenders int `json:"defenders,omitempty"` // that can take back
	Mate      int `json:"mate,omitempty"`      // moves to mate

	Proof Proof `json:"proof"`

	forbidden []chess.Move // that the counterfactual search leaves out
	detours   []chess.Move // of these: moves that come to the same
}

// Tactic is the kind of a claim.
type Tactic string

// The tactics, in the order in which they are looked for.
const (
	Mates     Tactic = "mate"
	Draws     Tactic = "perpetual check"
	Promotes  Tactic = "promotion"
	Unguarded Tactic = "lost defender" // the piece was defended, until its only defender moved away
	Hangs     Tactic = "hanging piece"
	Forks     Tactic = "fork"
	Uncovers  Tactic = "discovered attack"
	Advances  Tactic = "passed pawn"
)

// Man is a piece on a square.
type Man struct {
	Piece  string `json:"piece"` // pawn to king
	Square string `json:"square"`
}

// String returns the piece and its square, such as "the rook on d8".
func (m Man) String() string { return "the " + m.Piece + " on " + m.Square }

// Proof is what a counterfactual search has found: the loss vanishes in a position that differs in the one thing that
// the claim names. Scores of lines are White's.
type Proof struct {
	FEN     string   `json:"fen"`            // before the key move
	Line    Line     `json:"line"`           // the best one there, with the key move
	Change  string   `json:"change"`         // in words: "without 24. Nc7+"
	Changed string   `json:"changed"`        // FEN; the first one where moves are forbidden and nothing else differs
	Without []string `json:"without"`        // in UCI: moves without which the loss vanishes in the first position
	Only    []string `json:"only,omitempty"` // of another position: the moves that were searched there, nil for all
	Instead Line     `json:"instead"`        // the best line then
	Loss    float64  `json:"loss"`           // of the mistake, of chances
	Left    float64  `json:"left"`           // of it in the changed position
}

// sentence returns the claim in words.
func (w *Why) sentence() string {
	verb := "Allows"
	if w.Missed {
		verb = "Passes by"
	}
	return fmt.Sprintf("%s %s: %s.", verb, w.Move, w.fact())
}

// fact says what the key move does.
func (w *Why) fact() string {
	switch w.Tactic {
	case Mates:
		return fmt.Sprintf("mate in %d", w.Mate)
	case Draws:
		return "checks that draw"
	case Promotes:
		return "a pawn becomes a " + w.By.Piece
	case Unguarded:
		return fmt.Sprintf("%s has lost its only defender, the %s that was on %s", w.Targets[0], w.Guard.Piece,
			w.Guard.Square)
	case Hangs:
		switch target := w.Targets[0]; {
		case w.Defenders == 0:
			return "nothing defends " + target.String()
		case w.Attackers > w.Defenders:
			return fmt.Sprintf("%s is attacked %s and defended %s", target, times(w.Attackers), times(w.Defenders))
		default:
			return fmt.Sprintf("a %s takes %s", w.By.Piece, target)
		}
	case Advances:
		return "the passed pawn reaches " + w.By.Square
	case Uncovers:
		return fmt.Sprintf("it opens the line of %s to %s", w.By, list(w.Targets))
	case Forks:
		return fmt.Sprintf("the %s attacks %s", w.By.Piece, list(w.Targets))
	}
	return ""
}

// change says which moves are forbidden in a position.
func (w *Why) change(p *chess.Position) string {
	text := "without " + w.Move
	switch w.Tactic {
	case Promotes:
		text = "without the promotion"
	case Hangs, Unguarded:
		text = "without a capture on " + w.Targets[0].Square
	}
	for _, m := range w.detours {
		text += " and " + p.SAN(m)
	}
	return text
}

// times says how often.
func times(n int) string {
	if n < 3 {
		return [3]string{"never", "once", "twice"}[n]
	}
	return fmt.Sprintf("%d times", n)
}

// list names pieces: "a, b and c".
func list(men []Man) string {
	var all []string
	for _, m := range men {
		all = append(all, m.String())
	}
	last := len(all) - 1
	if last == 0 {
		return all[0]
	}
	return strings.Join(all[:last], ", ") + " and " + all[last]
}
