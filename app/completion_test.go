package app

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What each shell is given: it sources the script of the program $1 as a user does, and
// prints what it would offer for the command line in the other arguments, one a line.
// zsh's own completion needs a terminal; _describe is where the script hands its offers
// over. bash-completion, which is not everywhere, gets a stand-in for its one function.
var shells = map[string]string{
	"bash": `
_get_comp_words_by_ref() { :; }
source <("$1" completion bash)
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); COMP_TYPE=9
$(complete -p "$1" | sed 's/.*-F \([^ ]*\) .*/\1/')
printf '%s\n' "${COMPREPLY[@]}"`,
	"zsh": `
autoload -U compinit; compinit -u -D
_describe() { shift; print -l -- ${(P)1} }
source <("$1" completion zsh)
[[ $_comps[$1] == _$1 ]] || print not registered
words=("$@"); _$1`,
	"fish": `
$argv[1] completion fish | source
complete -C (string join " " -- $argv)`,
}

// TestCompletion runs the scripts of the engine and of a tool, which all tools share, in
// the shells that are here.
func TestCompletion(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the programs")
	}
	dir := t.TempDir()
	for name, pkg := range map[string]string{"tabula": "..", "bench": "../bench"} {
		if out, err := exec.Command("go", "build", "-pgo=off", "-o", filepath.Join(dir, name), pkg).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for shell, script := range shells {
		t.Run(shell, func(t *testing.T) {
			if _, err := exec.LookPath(shell); err != nil {
				t.Skip("not here: ", err)
			}
			for _, tt := range []struct{ line, want string }{
				{"tabula an", "annotate"},
				{"tabula an", "analyse"},
				{"tabula anno", "annotate"},
				{"tabula play --el", "--elo"},
				{"tabula analyse --multi", "--multipv"},
				{"bench per", "perft"},
				{"bench perft --div", "--divide"},
			} {
				args := []string{"-c", script, shell}
				if shell == "fish" { // its arguments begin behind the script
					args = args[:2]
				}
				cmd := exec.Command(shell, append(args, strings.Fields(tt.line)...)...)
				cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "HOME="+dir, "XDG_CONFIG_HOME="+dir)
				out, err := cmd.CombinedOutput()
				offers := strings.FieldsFunc(string(out), func(c rune) bool { return c == '\n' })
				ok := slices.ContainsFunc(offers, func(o string) bool {
					name, _, _ := strings.Cut(o, "\t")
					name, _, _ = strings.Cut(name, ":")
					return name == tt.want
				})
				if err != nil || !ok {
					t.Errorf("%q: %v, offers %q; want %s", tt.line, err, offers, tt.want)
				}
			}
		})
	}
}
