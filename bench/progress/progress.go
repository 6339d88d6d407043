// Package progress shows how far a long command is.
package progress

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// New returns a progress bar over total steps on the terminal behind
// errOut, and a silent one where that is no terminal.
func New(errOut io.Writer, total int64, what string) *progressbar.ProgressBar {
	file, ok := errOut.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return progressbar.DefaultSilent(total, what)
	}
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(file),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(40),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
}
