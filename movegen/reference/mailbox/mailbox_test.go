package mailbox_test

import (
	"testing"

	"github.com/tabula-chess/tabula/movegen/internal/gentest"
	"github.com/tabula-chess/tabula/movegen/reference/mailbox"
)

func TestConformance(t *testing.T) { gentest.Run(t, mailbox.New) }
