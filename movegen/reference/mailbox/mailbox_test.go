package mailbox_test

import (
	"testing"

	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/movegen/reference/mailbox"
)

func TestConformance(t *testing.T) { testkit.Conform(t, mailbox.New) }
