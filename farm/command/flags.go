package command

import (
	"runtime"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
)

// KeyVariable is the environment's place for the name of a key file.
const KeyVariable = "TABULA_FARM_KEY"

// hubFlags say where the farm is; more is added to the help of the address.
func hubFlags(more string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "hub", Usage: "`URL` of a hub or a NATS cluster, nats://HOST:PORT" + more},
		&cli.StringFlag{
			Name: "key", Sources: cli.EnvVars(KeyVariable),
			Usage: "`FILE` with the key of a worker or owner, or credentials of a NATS cluster; needed beyond loopback",
		},
	}
}

// homeFlag says where a machine keeps what is its own.
func homeFlag() cli.Flag {
	return &cli.StringFlag{Name: "dir", Usage: "`DIR` of this machine's results and engines (default: tabula-farm in the user's cache directory)"}
}

// maxCores bounds the jobs that a worker does at a time.
const maxCores = 4096

// machineFlags say how a machine works.
func machineFlags() []cli.Flag {
	return []cli.Flag{
		homeFlag(),
		&cli.IntFlag{Name: "cores", Value: runtime.NumCPU(), Usage: "do `N` jobs at a time"},
	}
}

// runFlags are those of every command that starts a run.
func runFlags(own ...cli.Flag) []cli.Flag {
	all := append(hubFlags(" (default: a hub in this process)"), machineFlags()...)
	return append(append(all,
		&cli.StringFlag{Name: "name", Usage: "call the run `NAME` (default: its kind and the start of its id)"},
		&cli.Uint64Flag{Name: "seed", Usage: "`NUMBER` of the run: another one is another run"},
	), own...)
}

// checkCores returns an error of use for --cores out of range.
func checkCores(cmd *cli.Command) error {
	if n := cmd.Int("cores"); n < 1 || n > maxCores {
		return command.WrongUsef("--cores %d: want 1 to %d", n, maxCores)
	}
	return nil
}

func outFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "out", Aliases: []string{"o"}, Required: true, Usage: usage}
}

func nodesFlag(value uint64, usage string) cli.Flag {
	return &cli.Uint64Flag{Name: "nodes", Value: value, Usage: usage}
}

// softNodes explains the nodes of a search in games of the engine with itself.
const softNodes = "nodes of a search: no iteration starts that would probably end after `N`, and twice as many end the search"

func pairsFlag(value int) cli.Flag {
	return &cli.IntFlag{Name: "pairs", Value: value, Usage: "play at most `N` pairs of games"}
}

func chess960Flag(value float64) cli.Flag {
	return &cli.FloatFlag{Name: "chess960", Value: value, Usage: "`SHARE` of games that start from Chess960, half of those with different ranks"}
}

// networkFlag names a network that travels with the run.
func networkFlag() cli.Flag {
	return &cli.StringFlag{Name: "network", Usage: "play with the network of `FILE` (default: the embedded one)"}
}

func clockFlag() cli.Flag {
	return &cli.StringFlag{Name: "tc", Usage: "play by the clock, `SECONDS+INCREMENT` as in 3+0.03"}
}
