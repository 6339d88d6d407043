package app

import (
	"fmt"
	"strings"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/movegen"
)

// paths are the attack path and the kernels chosen for this run, and their descriptions.
type paths struct {
	attacks                  movegen.Path
	attacksText, kernelsText string
}

// choosePaths reads the environment. If a variable is empty, the processor decides; any other text
// must name a path that this machine can run.
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

// attackUses describes how each part of the program computes slider attacks on a path.
func attackUses(path movegen.Path) string {
	return fmt.Sprintf("lists of moves %s, perft %s, single look-ups %s", movegen.ListPath(path), path, movegen.Magic)
}

// attacksHelp lists the attack paths and whether this machine can run each.
func attacksHelp() string {
	var b strings.Builder
	for p := movegen.Magic; p <= movegen.NEON; p++ {
		helpPath(&b, p, attackUses(p), p.Supported())
	}
	return b.String()
}

// kernelsHelp lists the evaluation paths and whether this machine can run each.
func kernelsHelp() string {
	var b strings.Builder
	for p := nnue.Go; p <= nnue.DotProd; p++ {
		helpPath(&b, p, "available", nnue.Supported(p))
	}
	return b.String()
}

// helpPath writes one line about a path: what it does, or why it cannot run here.
func helpPath(b *strings.Builder, path fmt.Stringer, state string, lack error) {
	if lack != nil {
		state = lack.Error()
	}
	fmt.Fprintf(b, "  %-8s %s\n", path, state)
}
