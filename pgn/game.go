package pgn

import (
	"iter"

	"github.com/tabula-chess/tabula/chess"
)

// Game is a game with tags, comments and variations. The zero Game has no tags and no moves, starts
// from the standard position and has an unknown result.
type Game struct {
	Tags   []Tag           // in the order read
	Start  *chess.Position // nil for the standard start
	Main   Line            // the moves played
	Result chess.Result    // of the termination marker, or of the tag where that is missing or "*"

	// Shortened tells that Main ends before a move that is illegal, ambiguous or unreadable. The rest
	// of the text is a comment behind the last move, and Warning names the move.
	Shortened bool

	// Warning is the first part of the text that was dropped or read as a comment; its Reason has
	// the number of others. nil if there was none.
	Warning *Error
}

// Tag is a tag pair such as Event "Casual game".
type Tag struct {
	Name  string `json:"name"`  // letters, digits and any of _+#=:-
	Value string `json:"value"` // without the quotes and escapes
}

// Line is a sequence of moves: the game or a variation.
type Line struct {
	Comments []string // before the first move
	Moves    []Node
}

// Node is a move with what is written about it.
type Node struct {
	Move       chess.Move // legal where it stands; NoMove is a null move, written "--"
	NAGs       []NAG      // in the order read
	Comments   []string   // after the move, spaces trimmed, line ends made spaces
	Variations []Line     // alternatives to Move, from the position before it
}

// NAG is a numeric annotation glyph. The standard has 0 to 255.
type NAG uint16

// MaxNAG is the largest NAG.
const MaxNAG = 1<<16 - 1

// The glyphs that have a mark of their own after a move.
const (
	GoodMove        NAG = 1 + iota // !
	Mistake                        // ?
	BrilliantMove                  // !!
	Blunder                        // ??
	InterestingMove                // !?
	DubiousMove                    // ?!
)

// glyphs are the marks of the first NAGs, by number.
var glyphs = [7]string{1: "!", "?", "!!", "??", "!?", "?!"}

// String returns the mark of the NAG, or "$n" where it has none.
func (n NAG) String() string {
	if n > 0 && int(n) < len(glyphs) {
		return glyphs[n]
	}
	return string(n.appendTo(nil))
}

// Tag returns the value of the first tag of that name, "" where there is none.
func (g *Game) Tag(name string) string {
	for _, t := range g.Tags {
		if t.Name == name {
			return t.Value
		}
	}
	return ""
}

// SetTag sets the value of the tag of that name, or adds the tag at the end.
func (g *Game) SetTag(name, value string) {
	for i := range g.Tags {
		if g.Tags[i].Name == name {
			g.Tags[i].Value = value
			return
		}
	}
	g.Tags = append(g.Tags, Tag{name, value})
}

// Position returns a new copy of the start position.
func (g *Game) Position() *chess.Position {
	if g.Start == nil {
		return chess.NewPosition()
	}
	return g.Start.Clone()
}

// Final returns the position after the last move of the main line, with its history. The moves of the
// game must be legal, as those of a game from a Reader are.
func (g *Game) Final() *chess.Position {
	p := g.Position()
	p.Reserve(len(g.Main.Moves))
	for i := range g.Main.Moves {
		g.Main.Moves[i].Play(p)
	}
	return p
}

// Replay iterates over the moves of the main line, each with the position before it. The position
// changes from step to step; [Game.Final] returns the last one. The moves must be legal.
func (g *Game) Replay() iter.Seq2[*chess.Position, *Node] {
	return func(yield func(*chess.Position, *Node) bool) {
		p := g.Position()
		for i := range g.Main.Moves {
			n := &g.Main.Moves[i]
			if !yield(p, n) {
				return
			}
			n.Play(p)
		}
	}
}

// Play makes the move in p, where it must be legal: by Position.Make, or by Position.MakeNull for a
// null move. Position.Unmake takes it back.
func (n *Node) Play(p *chess.Position) { play(p, n.Move) }

// play makes m, a legal move or a null move.
func play(p *chess.Position, m chess.Move) {
	if m == chess.NoMove {
		p.MakeNull()
	} else {
		p.Make(m)
	}
}

// roster is the seven-tag roster in its order, with the value that stands for
// "unknown".
var roster = [7]Tag{
	{"Event", "?"}, {"Site", "?"}, {"Date", "????.??.??"}, {"Round", "?"},
	{"White", "?"}, {"Black", "?"}, {"Result", "*"},
}

// tagByte says which bytes a tag name may hold.
func tagByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '_' || c == '+' || c == '#' || c == '=' || c == ':' || c == '-'
}
