package exit

import "testing"

func TestNear(t *testing.T) {
	known := []string{"analyse", "play", "find", "--depth", "Hash", "resign"}
	for word, want := range map[string]string{
		"anaylse": "analyse", "analise": "analyse", "Analyse": "analyse", "analysee": "analyse", "nlyse": "", "fnd": "find", "fidn": "find",
		"--depht": "--depth", "--dept": "--depth", "hahs": "Hash", "resgn": "resign", "pl": "", "pla": "play", "": "", "xyzzy": "", "fi": "",
	} {
		if got := Near(word, known); got != want {
			t.Errorf("%q is near %q, want %q", word, got, want)
		}
	}
	if got := DidYouMean("plya", known, "; see --help"); got != "; did you mean play?" {
		t.Error(got)
	}
	if got := DidYouMean("what", known, "; see --help"); got != "; see --help" {
		t.Error(got)
	}
}
