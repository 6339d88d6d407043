package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/train/selfplay"
	"github.com/tabula-chess/tabula/train/tune"
)

// tuneCommands are the commands that fit the hand-written evaluation.
func tuneCommands() []*cli.Command {
	return []*cli.Command{selfplayCommand(), tuneCommand()}
}

// selfplayCommand describes "train selfplay".
func selfplayCommand() *cli.Command {
	return &cli.Command{
		Name:  "selfplay",
		Usage: "play games and record their quiet positions",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "games", Value: 5000, Usage: "number of games"},
			&cli.Uint64Flag{Name: "nodes", Value: 5000, Usage: "nodes per move"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "seed of the random openings"},
			&cli.IntFlag{Name: "random", Value: 6, Usage: "random half-moves after the opening"},
			&cli.IntFlag{Name: "threads", Value: runtime.GOMAXPROCS(0), Usage: "games at a time"},
			&cli.StringFlag{Name: "openings", Usage: "EPD `file` of openings (default: the start position)"},
			&cli.StringFlag{Name: "out", Value: "games.txt", Usage: "`file` to append to"},
		},
		Action: runSelfplay,
	}
}

func runSelfplay(_ context.Context, c *cli.Command) error {
	config := selfplay.Config{
		Games: c.Int("games"), Nodes: c.Uint64("nodes"), Seed: c.Uint64("seed"),
		Threads: c.Int("threads"), Random: c.Int("random"),
	}
	if name := c.String("openings"); name != "" {
		var err error
		if config.Openings, err = readOpenings(name); err != nil {
			return err
		}
	}
	out, err := os.OpenFile(c.String("out"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	played := 0
	err = selfplay.Play(config, out, func() {
		if played++; played%100 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d games\n", played, config.Games)
		}
	})
	if err != nil {
		return err
	}
	return out.Close()
}

// readOpenings returns the positions of an EPD file as FENs.
func readOpenings(name string) ([]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var fens []string
	scanner := bufio.NewScanner(f)
	for n := 1; scanner.Scan(); n++ {
		fields := strings.Fields(scanner.Text())
		if len(fields) < 4 {
			return nil, fmt.Errorf("%s: line %d: want four fields", name, n)
		}
		fens = append(fens, strings.Join(fields[:4], " "))
	}
	return fens, scanner.Err()
}

// tuneCommand describes "train tune".
func tuneCommand() *cli.Command {
	return &cli.Command{
		Name:  "tune",
		Usage: "fit the evaluation's weights to recorded positions",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "data", Required: true, Usage: "`file` of train selfplay; may be given several times"},
			&cli.StringFlag{Name: "out", Value: "eval/fitted.go", Usage: "Go `file` to write"},
			&cli.IntFlag{Name: "epochs", Value: 60},
			&cli.FloatFlag{Name: "rate", Value: 1.0, Usage: "first step in centipawns"},
			&cli.FloatFlag{Name: "blend", Value: 0.6, Usage: "weight of the result against the score of the search"},
			&cli.FloatFlag{Name: "prior", Value: 15, Usage: "how far weights are expected to move, in centipawns"},
			&cli.BoolFlag{Name: "fresh", Usage: "begin with plain formulas instead of the present weights"},
			&cli.IntFlag{Name: "threads", Value: runtime.GOMAXPROCS(0)},
		},
		Action: runTune,
	}
}

func runTune(_ context.Context, c *cli.Command) error {
	config := tune.Config{
		Epochs: c.Int("epochs"), Rate: c.Float("rate"), Blend: c.Float("blend"),
		Prior: c.Float("prior"), Threads: c.Int("threads"),
	}
	var samples []tune.Sample
	for _, name := range c.StringSlice("data") {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		more, err := tune.Read(f, config.Threads)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		samples = append(samples, more...)
	}
	if len(samples) == 0 {
		return fmt.Errorf("no positions in %v", c.StringSlice("data"))
	}
	// Games stand together: the last positions come from games of their own.
	cut := len(samples) - len(samples)/20
	held, samples := samples[cut:], samples[:cut]
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(samples), func(i, j int) { samples[i], samples[j] = samples[j], samples[i] })
	weights := eval.Fitted()
	if c.Bool("fresh") {
		weights = tune.Start()
	}
	alone := config
	alone.Blend = 1
	fmt.Printf("%d positions, %d held back; error of results there %.6f\n", len(samples)+len(held), len(held), tune.Error(&weights, held, alone))
	tune.Fit(&weights, samples, config, func(epoch int, loss float64) {
		if epoch%5 == 0 {
			fmt.Printf("epoch %d: error %.6f\n", epoch, loss)
		}
	})
	fmt.Printf("error of results on the positions held back %.6f\n", tune.Error(&weights, held, alone))
	source, err := tune.Source(&weights)
	if err != nil {
		return err
	}
	return os.WriteFile(c.String("out"), source, 0o644)
}
