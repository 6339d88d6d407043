package launch

import "fmt"

// attackPath names the way slider attacks are computed.
type attackPath string

// attacksHelp lists the choices for the help text.
const attacksHelp = `  magic                        magic bitboards, on every processor
`

func (p attackPath) name() string     { return string(p) }
func (p attackPath) describe() string { return string(p) }

// chooseAttacks obeys TABULA_ATTACKS; the empty text leaves the choice to the
// processor.
func chooseAttacks(text string) (attackPath, error) {
	switch text {
	case "", "magic":
		return "magic", nil
	}
	return "", fmt.Errorf("TABULA_ATTACKS=%.40q: this build offers magic", text)
}
