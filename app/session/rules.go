//go:build tabula_rules

package session

// The program of the rules has no engines.
type (
	engines struct{}
	player  struct{}
)

func (engines) player() *player { return nil }
