package chess

import "strconv"

// SANLine returns moves from p in standard algebraic notation with move numbers,
// such as "12... Nf6 13. Bg5 h6". NoMove is a null move, "--". p is unchanged.
// Errors: a [*MoveError] for the first move that is not legal; the text holds
// those before it.
func (p *Position) SANLine(moves []Move) (string, error) {
	var buf []byte
	q := p.Clone()
	q.Reserve(len(moves))
	for i, m := range moves {
		null := m == NoMove && !q.InCheck()
		if !null && !q.IsLegal(m) {
			return string(buf), &MoveError{Text: m.String(), Reason: "illegal in " + q.FEN(), err: ErrIllegal}
		}
		if i > 0 {
			buf = append(buf, ' ')
		}
		if q.side == White || i == 0 {
			buf = strconv.AppendInt(buf, int64(q.fullmove), 10)
			buf = append(buf, [2]string{". ", "... "}[q.side]...)
		}
		buf = q.AppendSAN(buf, m)
		if null {
			q.MakeNull()
		} else {
			q.Make(m)
		}
	}
	return string(buf), nil
}
