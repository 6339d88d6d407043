package plural

import "testing"

func TestOf(t *testing.T) {
	for _, tt := range []struct {
		n    int
		noun string
		want string
	}{
		{1, "new game", "1 new game"}, {0, "new game", "0 new games"}, {2, "new game", "2 new games"}, {-1, "game", "-1 games"},
		{1, "reply", "1 reply"}, {3, "reply", "3 replies"}, {2, "day", "2 days"}, {2, "match", "2 matches"}, {2, "guess", "2 guesses"},
	} {
		if got := Of(tt.n, tt.noun); got != tt.want {
			t.Errorf("%d of %q is %q, want %q", tt.n, tt.noun, got, tt.want)
		}
	}
	for n, want := range []string{"0 moves differ", "1 move differs", "2 moves differ"} {
		if got := Do(n, "move", "differs", "differ"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
