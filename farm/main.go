// Command farm lets many machines do one piece of work:
//
//	go run ./farm hub --dir DIR --listen HOST:PORT       the centre
//	go run ./farm work --hub nats://HOST:PORT            a worker
//	go run ./farm perft --hub nats://HOST:PORT --depth 9
//	go run ./farm status --hub nats://HOST:PORT          what runs, what failed
//
// Without --hub a command has a hub of its own in the process and works on the
// cores of this machine. A command that was interrupted or killed goes on where
// it was when it is given again. docs/farm.md has the rest.
package main

import (
	"github.com/tabula-chess/tabula/internal/tool"
	"github.com/tabula-chess/tabula/tabula-farm/command"
)

func main() { tool.Main(command.New) }
