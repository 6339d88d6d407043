package pgn

import "github.com/tabula-chess/tabula/chess"

// Visitor receives the movetext of a game in the order of the text, so that annotated games of any size can be read
// without a tree. Positions are only for reading, and change after the call.
type Visitor interface {
	// Move receives a legal move, or chess.NoMove for a null move, with the position before it.
	Move(p *chess.Position, m chess.Move)
	// NAG receives an annotation of the last move, or of the first one where none has come yet.
	NAG(n NAG)
	// Comment receives a comment behind the last move, or before the first one.
	Comment(text string)
	// Begin says that a variation begins in p: the position before the last move, where there was one.
	Begin(p *chess.Position)
	// End says that the variation has ended, and the line that it departs from goes on in p.
	End(p *chess.Position)
}

// VisitMoves reads the moves of the game that the last call of [Reader.ReadTags] returned as [Reader.ReadMoves] does,
// and passes them to v: Main stays empty. Memory is bounded by the length of a line. Errors: as ReadMoves; v has
// received what comes before.
func (r *Reader) VisitMoves(g *Game, v Visitor) error {
	r.visitor = v
	defer func() { r.visitor = nil }()
	return r.ReadMoves(g)
}

// say adds a comment to a list.
func (r *Reader) say(list *[]string, text string) {
	if r.visitor != nil {
		r.visitor.Comment(text)
		return
	}
	*list = append(*list, text)
}

// visitVariation reads a variation of the line behind its parenthesis. last is the node of the move that it departs
// from, which was taken back, if it is one of the line.
func (r *Reader) visitVariation(l *level, at place, last int) error {
	r.visitor.Begin(&r.p)
	err := r.line(&level{out: new(Line), base: len(r.nodes), depth: l.depth + 1, open: at})
	if err != nil {
		return err
	}
	if last >= l.base {
		play(&r.p, r.nodes[last].Move)
	}
	r.visitor.End(&r.p)
	return nil
}
