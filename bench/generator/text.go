package generator

import (
	"fmt"

	"github.com/tabula-chess/tabula/chess"
)

// checkNull makes and unmakes a null move.
func (r *rig) checkNull() *difference {
	if r.p.InCheck() {
		return nil
	}
	r.p.MakeNull()
	d := r.checkKey("null move")
	fen := r.p.FEN()
	err := r.scratch.SetFEN(fen)
	key := r.p.Key()
	r.p.Unmake()
	switch {
	case d != nil:
		return d
	case err != nil:
		return r.differ("null move", "", "FEN", fen, "ParseFEN", err.Error())
	case r.scratch.Key() != key:
		return r.differ("null move", "", "key", fmt.Sprintf("%016x", uint64(key)), "key of the FEN",
			fmt.Sprintf("%016x", uint64(r.scratch.Key())))
	case !r.same(&r.before):
		return r.differ("null move", "", "before", r.before.FEN(), "after null move and unmake", r.p.FEN())
	}
	return nil
}

// checkFEN writes the position as FEN and reads it back.
func (r *rig) checkFEN() *difference {
	r.text = r.p.AppendFEN(r.text[:0], chess.FENStyle{})
	text := string(r.text)
	if err := r.scratch.SetFEN(text); err != nil {
		return r.differ("FEN", "", "written", text, "ParseFEN", err.Error())
	}
	s := &r.scratch
	if !s.Equal(r.p) || s.Key() != r.p.Key() || s.PawnKey() != r.p.PawnKey() || s.Checkers() != r.p.Checkers() ||
		s.EnPassantLegal() != r.p.EnPassantLegal() {
		return r.differ("FEN", "", "written", text, "read",
			fmt.Sprintf("%s key %016x, not %016x", s, uint64(s.Key()), uint64(r.p.Key())))
	}
	if again := s.FEN(); again != text {
		return r.differ("FEN", "", "written", text, "written again", again)
	}
	if !r.sometimes(8) {
		return nil
	}
	return r.checkSetups()
}

// checkSetups rebuilds the position from its parts.
func (r *rig) checkSetups() *difference {
	want := r.p.Setup()
	if err := want.Into(&r.scratch); err != nil || !r.scratch.Equal(r.p) || r.scratch.Key() != r.p.Key() {
		return r.differ("parts", "", "position", r.p.FEN(), "rebuilt", describeSetup(want))
	}
	return nil
}

// describeSetup returns parts as a FEN, or the reason why they are not a position.
func describeSetup(s chess.Setup) string {
	p, err := s.Position()
	if err != nil {
		return err.Error()
	}
	return p.FEN()
}

// checkNotation writes every legal move in each notation and reads it back.
func (r *rig) checkNotation() *difference {
	if !r.sometimes(64) {
		return nil
	}
	for _, m := range r.legal {
		san := r.p.SAN(m)
		if back, err := r.p.ParseSAN(san); err != nil || back != m {
			return r.differ("SAN", m.String(), "SAN", san, "ParseSAN", fmt.Sprint(back, err))
		}
		if back, err := r.p.ParseUCI(m.String()); err != nil || back != m {
			return r.differ("UCI", m.String(), "String", m.String(), "ParseUCI", fmt.Sprint(back, err))
		}
		// In Chess960 the king's own step can be the text of two moves.
		if r.p.Chess960() {
			continue
		}
		if back, err := r.p.ParseUCI(r.p.UCI(m)); err != nil || back != m {
			return r.differ("UCI", m.String(), "UCI", r.p.UCI(m), "ParseUCI", fmt.Sprint(back, err))
		}
	}
	return nil
}
