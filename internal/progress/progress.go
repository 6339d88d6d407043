// Package progress shows how far a long command is. It imports nothing of this
// module.
package progress

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Terminal reports whether out is one.
func Terminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// New returns a progress bar over total steps, -1 where their number is not
// known yet, on the terminal out, and a silent one where that is no terminal.
func New(out io.Writer, total int64, what string) *progressbar.ProgressBar {
	if !Terminal(out) {
		return progressbar.DefaultSilent(total, what)
	}
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(out),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(200*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
}
