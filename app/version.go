package app

import (
	"fmt"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/version"
)

// versionText returns what --version prints.
func versionText(chosen paths) string {
	return version.Text("Tabula") + pathsText(chosen) + "\n"
}

// buildText describes toolchain, system, processor, the paths chosen and the
// network.
func buildText(chosen paths) string { return version.Build() + "\n" + pathsText(chosen) }

// pathsText describes the paths chosen and the network.
func pathsText(chosen paths) string {
	return fmt.Sprintf("attacks    %s\nevaluation %s\nnetwork    %v", chosen.attacksText, chosen.kernelsText,
		nnue.Embedded().Hash())
}
