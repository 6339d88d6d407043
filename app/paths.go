package app

import (
	"fmt"
	"strings"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/movegen"
)

// paths are the ways of computing that were chosen for this run, with what to
// tell about them.
type paths struct {
	attacks                  movegen.Path
	attacksText, kernelsText string
}

// choosePaths obeys the environment: an empty variable leaves the choice to the
// processor, any other text names a path that this machine must be able to run.
func choosePaths(getenv func(string) string) (paths, error) {
	attack, err := movegen.SelectPath(getenv(movegen.PathVariable))
	if err != nil {
		return paths{}, fmt.Errorf("%s: %w", movegen.PathVariable, err)
	}
	kernel, err := nnue.Select(getenv(nnue.PathVariable))
	if err != nil {
		return paths{}, fmt.Errorf("%s: %w", nnue.PathVariable, err)
	}
	return paths{
		attacks:     attack,
		attacksText: describePath(attack, movegen.PathVariable, getenv) + ": " + attackUses(attack),
		kernelsText: describePath(kernel, nnue.PathVariable, getenv),
	}, nil
}

// describePath returns the path's name and who chose it.
func describePath(path fmt.Stringer, variable string, getenv func(string) string) string {
	if getenv(variable) != "" {
		return path.String() + " (chosen by " + variable + ")"
	}
	return path.String() + " (chosen by processor)"
}

// attackUses tells which part computes slider attacks how on a path.
func attackUses(path movegen.Path) string {
	return fmt.Sprintf("lists of moves %s, perft %s, single look-ups %s", movegen.ListerName(path), path, movegen.Magic)
}

// attacksHelp lists the attack paths and whether this machine can run each.
func attacksHelp() string {
	var b strings.Builder
	for p := movegen.Magic; p <= movegen.NEON; p++ {
		helpPath(&b, p, attackUses(p), p.Supported())
	}
	return b.String()
}

// kernelsHelp lists the evaluation paths likewise.
func kernelsHelp() string {
	var b strings.Builder
	for p := nnue.Go; p <= nnue.DotProd; p++ {
		helpPath(&b, p, "available", nnue.Supported(p))
	}
	return b.String()
}

// helpPath writes a line about a path: what it does, or why it cannot run.
func helpPath(b *strings.Builder, path fmt.Stringer, state string, lack error) {
	if lack != nil {
		state = lack.Error()
	}
	fmt.Fprintf(b, "  %-8s %s\n", path, state)
}
