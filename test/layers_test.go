package test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/must"
)

const module = "github.com/tabula-chess/tabula"

// layers lists the folders of the module from the ground up. A package imports only its own folder and folders that
// stand before it. The longest entry counts where several match.
var layers = []string{
	"internal", "tables/index", "gen", "tables",
	"chess", "internal/chesstest", "movegen/reference/mailbox", "movegen/reference/x88", "movegen/reference/rays", "movegen", "pgn", "openings", "games",
	"syzygy", "uci/client", "eval", "search", "review", "uci",
	"app/lab", "app/session", "web", "app", ".", "test", "examples", "gen/openings", "bench", "train", "farm",
}

// layer returns the index in layers of a package of the module, -1 for other packages.
func layer(importPath string) int {
	index, longest := -1, 0
	for i, folder := range layers {
		if path := module + "/" + folder; len(path) > longest &&
			(importPath == path || strings.HasPrefix(importPath, path+"/") || folder == "." && importPath == module) {
			index, longest = i, len(path)
		}
	}
	return index
}

// TestLayers checks the imports of every package: none goes up, only bench and app/lab import the reference generators, and the
// library depends on nothing but the standard library and cpuid.
func TestLayers(t *testing.T) {
	cmd := exec.Command("go", "list", "-pgo=off", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
	cmd.Dir = moduleRoot
	out, err := cmd.Output()
	must.Succeed(t, err)
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		from := layer(words[0])
		if from < 0 {
			t.Errorf("%s is in no layer", words[0])
			continue
		}
		library := from >= slices.Index(layers, "chess") && from <= slices.Index(layers, "uci")
		for _, imported := range words[1:] {
			to := layer(imported)
			host, _, _ := strings.Cut(imported, "/")
			switch {
			case to > from, to >= 0 && to != from && strings.HasPrefix(layers[to], "movegen/reference/") && layers[from] != "bench" && layers[from] != "app/lab",
				to < 0 && library && strings.Contains(host, ".") && imported != "github.com/klauspost/cpuid/v2":
				t.Errorf("%s imports %s", words[0], imported)
			}
		}
	}
}
