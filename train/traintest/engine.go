package traintest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/uci"
)

// Name is what the engine calls itself.
const Name = "Tester"

// Main is TestMain of a package whose tests start engines.
func Main(m *testing.M) {
	if len(os.Args) != 3 || os.Args[1] != Name {
		os.Exit(m.Run())
	}
	open := func() (uci.Searcher, error) { return search.NewEngine(uci.DefaultHash) }
	out := io.Writer(os.Stdout)
	if os.Args[2] == "standard" {
		out = standard{out}
	}
	if err := uci.Run(context.Background(), &input{fault: os.Args[2]}, out, open,
		uci.SessionConfig{Name: Name}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// standard does not write that there is an option UCI_Chess960.
type standard struct{ io.Writer }

func (w standard) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		if !bytes.Contains(line, []byte("UCI_Chess960")) {
			if _, err := w.Writer.Write(line); err != nil {
				return 0, err
			}
		}
	}
	return len(p), nil
}

// Command starts the engine. From its fourth move on one that "breaks" ends; one that "sleeps" takes a second for each
// command and one that "hangs" a minute. One that is "standard" has no Chess960. Any other fault is none.
func Command(t testing.TB, fault string) []string {
	t.Helper()
	self, err := os.Executable()
	kit.Succeed(t, err)
	return []string{self, Name, fault}
}

// input is standard input of an engine with a fault.
type input struct {
	fault string
	moves int
}

func (in *input) Read(p []byte) (int, error) {
	n, err := os.Stdin.Read(p)
	if in.moves += bytes.Count(p[:n], []byte("go ")); in.moves > 3 {
		switch in.fault {
		case "breaks":
			os.Exit(3)
		case "sleeps":
			time.Sleep(time.Second)
		case "hangs":
			time.Sleep(time.Minute)
		}
	}
	return n, err
}
