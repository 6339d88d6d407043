package fuzz

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// checkEngine compares the legal moves with an engine's perft 1 and their replies with its perft 2. If the engine
// fails to answer, the error is kept in the rig and counts as no difference.
func (r *rig) checkEngine() *difference {
	e := r.engine
	if e == nil || !e.Chess960 && r.p.Chess960() {
		return nil
	}
	for depth := 1; depth <= 2; depth++ {
		counts, err := e.Divide(r.p, depth)
		if err != nil {
			r.err = err
			return nil
		}
		listed := len(counts)
		for i, m := range r.legal {
			want, text := uint64(1), r.p.UCI(m)
			if depth == 2 {
				want = uint64(r.outcomes[i].replies)
			}
			got, ok := counts[text]
			if !ok {
				return r.differ("engine", text, "movegen.Legal", fmt.Sprintf("%d moves, with %s", len(r.legal), text),
					e.Command, fmt.Sprintf("%d moves, without", listed))
			}
			if got != want {
				return r.differ("engine", text, "movegen.Legal", fmt.Sprintf("%d replies", want), e.Command,
					fmt.Sprintf("%d replies", got))
			}
			delete(counts, text)
		}
		if len(counts) > 0 {
			extra := slices.Sorted(maps.Keys(counts))
			return r.differ("engine", extra[0], "movegen.Legal",
				fmt.Sprintf("%d moves, without %s", len(r.legal), strings.Join(extra, " ")),
				e.Command, fmt.Sprintf("%d moves, with", listed))
		}
	}
	return nil
}
