package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/progress"
	"github.com/tabula-chess/tabula/internal/replace"
	"github.com/tabula-chess/tabula/internal/tool"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/train/fit"
	"github.com/tabula-chess/tabula/train/judge"
	"github.com/tabula-chess/tabula/train/loader"
)

// fitCommand describes "train fit".
func fitCommand() *cli.Command {
	d, f := fit.Default(512), loader.DefaultFilter()
	return &cli.Command{
		Name:  "fit",
		Usage: "fit a network to recorded games",
		Description: "Streams the games from their files, shuffled in a window, and trains. An interrupted run\n" +
			"goes on from its checkpoint when the same command is given again, to the same\n" +
			"network. The result depends on data and settings, not on kernels, and on threads only\n" +
			"where --shards is not given: the command in the network's file names it.",
		// Names and commands may hold commas.
		DisableSliceFlagSeparator: true,
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "data", Required: true, Usage: "`file` of games; may be given several times"},
			&cli.StringFlag{Name: "out", Value: "tabula.nn", Usage: "network `file` to write"},
			&cli.StringFlag{Name: "checkpoint", Usage: "`file` to go on from (default: the network's name with .checkpoint)"},
			&cli.StringFlag{Name: "plot", Usage: "learning-curve picture, .svg or .png (default: the network's name with .svg)"},
			&cli.StringFlag{Name: "start", Usage: "network `file` to begin with instead of random weights; it may have fewer neurons and buckets, and be plain for a layered one"},
			&cli.BoolFlag{Name: "fresh", Usage: "begin anew where there is a checkpoint"},
			&cli.StringSliceFlag{Name: "origin", Usage: "`command` that made the data, to be kept in the file; may be given several times"},
			threadsFlag("at work"),

			&cli.IntFlag{Name: "width", Value: d.Shape.Width, Usage: "neurons of a perspective, a multiple of 32"},
			&cli.BoolFlag{Name: "layered", Usage: "go on with products of pairs of neurons and two small layers; --width a multiple of 256"},
			&cli.StringFlag{Name: "kings", Value: "1", Usage: "king buckets: 1, 2, 4, 6, 9, or 32 characters, one a square of files a to d"},
			&cli.BoolFlag{Name: "factorise", Value: true, Usage: "let king buckets share a part of their rows while they are fitted"},
			&cli.IntFlag{Name: "outputs", Value: d.Shape.Outputs, Usage: "output buckets, by the number of pieces"},
			&cli.IntFlag{Name: "scale", Value: d.Shape.Scale, Usage: "centipawns of an output of 1"},

			&cli.FloatFlag{Name: "epochs", Value: d.Epochs, Usage: "times that every position is seen"},
			&cli.IntFlag{Name: "batch", Value: d.Batch, Usage: "positions to a step"},
			&cli.IntFlag{Name: "shards", Usage: "parts of a batch (default: as many as threads)"},
			&cli.Uint64Flag{Name: "seed", Value: d.Seed},
			&cli.FloatFlag{Name: "rate", Value: d.Rate, Usage: "highest learning rate; with --start a lower one keeps more of what was learnt"},
			&cli.FloatFlag{Name: "rate-end", Value: d.RateEnd, Usage: "learning rate of the last step"},
			&cli.FloatFlag{Name: "warm-up", Value: d.WarmUp, Usage: "share of the steps in which the rate rises"},
			&cli.BoolFlag{Name: "rounded", Value: d.Rounded, Usage: "pass positions through weights and products of pairs as the network's file will have them"},
			&cli.FloatFlag{Name: "row-rate", Value: d.RowRate, Usage: "learning rate of the rows of the first layer, as a share of that of all else; with --start a small one keeps what they tell apart"},
			&cli.FloatFlag{Name: "decay", Value: d.Decay, Usage: "weight decay"},
			&cli.FloatFlag{Name: "blend", Value: d.Blend, Usage: "weight of the outlook against the score"},
			&cli.FloatFlag{Name: "lambda", Value: 0.8, Usage: "weight in the outlook of a ply against the one before; 1 makes it the result of the game"},
			&cli.StringSliceFlag{Name: "result", Usage: "`WEIGHT` of the game's result in the outlook besides, for all files, or FILE=WEIGHT for one (default: 0)"},
			&cli.StringFlag{Name: "tables", Usage: "fit positions that the Syzygy tables in `DIR` know to their true result, and to nothing else"},
			&cli.BoolFlag{Name: "spool", Usage: "keep the positions, 32 bytes each, beside the network's file while fitting: games are read once, not in every epoch"},
			&cli.IntFlag{Name: "window", Value: 1 << 24, Usage: "positions shuffled together; two such windows of 32 bytes a position are in memory"},
			&cli.FloatFlag{Name: "score-scale", Value: d.ScoreScale, Usage: "centipawns of a score that stand for e to one on"},
			&cli.FloatFlag{Name: "sparsity", Value: fit.DefaultSparsity, Usage: "with --layered: what the loss has besides, of the sum of the products of a position"},
			&cli.IntFlag{Name: "judge-every", Value: d.JudgeEvery, Usage: "steps between two points of the learning curve"},
			&cli.StringFlag{Name: "judge", Usage: "`SET` of judgeset to tell the loss on as well; the network does not depend on it"},

			&cli.FloatFlag{Name: "held", Value: 0.02, Usage: "share of the games to judge by"},
			&cli.IntFlag{Name: "min-ply", Value: f.MinPly, Usage: "half-moves at the start of a game to leave out"},
			&cli.IntFlag{Name: "max-score", Value: f.MaxScore, Usage: "leave out positions with scores beyond ± this"},
			&cli.IntFlag{Name: "min-pieces", Value: f.MinPieces, Usage: "leave out positions with fewer pieces"},
			&cli.BoolFlag{Name: "noisy", Usage: "keep positions in check and those whose best move captures or promotes"},
		},
		Action: func(ctx context.Context, c *cli.Command) error { return runFit(ctx, c, c.Root().ErrWriter) },
	}
}

// fitConfig returns the settings of the command line.
func fitConfig(c *cli.Command) (fit.Config, error) {
	config := fit.Default(c.Int("width"))
	kings, err := fit.ParseKings(c.String("kings"))
	if err != nil {
		return config, err
	}
	config.Shape.Layered = c.Bool("layered")
	config.Shape.Kings, config.Shape.Outputs, config.Shape.Scale = kings, c.Int("outputs"), c.Int("scale")
	config.Factorise = c.Bool("factorise") && config.Shape.KingBuckets() > 1
	config.Epochs, config.Batch, config.Seed = c.Float("epochs"), c.Int("batch"), c.Uint64("seed")
	if config.Shards = c.Int("shards"); !c.IsSet("shards") {
		config.Shards = c.Int("threads")
	}
	config.Rate, config.RateEnd, config.WarmUp = c.Float("rate"), c.Float("rate-end"), c.Float("warm-up")
	config.Rounded = c.Bool("rounded")
	config.RowRate, config.Decay = c.Float("row-rate"), c.Float("decay")
	config.Blend, config.ScoreScale = c.Float("blend"), c.Float("score-scale")
	switch {
	case config.Shape.Layered:
		config.Sparsity = c.Float("sparsity")
	case c.IsSet("sparsity"):
		return config, exit.WrongUsef("--sparsity is for products of pairs: it needs --layered")
	}
	config.JudgeEvery = c.Int("judge-every")
	return config, exit.WrongUse(config.Check())
}

// resultWeights returns the weight of the result for each of the files, from
// values that are a weight for all or FILE=WEIGHT.
func resultWeights(values, files []string) ([]float64, error) {
	weights := make([]float64, len(files))
	for _, v := range values {
		of, text := "", v
		if i := strings.LastIndexByte(v, '='); i >= 0 {
			of, text = v[:i], v[i+1:]
		}
		weight, err := strconv.ParseFloat(text, 64)
		if err != nil || !(weight >= 0 && weight <= 1) {
			return nil, exit.WrongUsef("--result %q: want a weight from 0 to 1, or FILE=WEIGHT", v)
		}
		found := false
		for i, name := range files {
			if of == "" || of == name {
				weights[i], found = weight, true
			}
		}
		if !found {
			return nil, exit.WrongUsef("--result %q: %s is not among the data", v, of)
		}
	}
	return weights, nil
}

// fitTables returns the tables of the command line, nil for none. They stay open as
// long as the program runs.
func fitTables(c *cli.Command) (*syzygy.Tables, error) {
	path := c.String("tables")
	if path == "" {
		return nil, nil
	}
	return syzygy.Open(syzygy.SplitPath(path)...)
}

// outputs are the files that fit writes.
type outputs struct{ network, checkpoint, picture string }

// fitOutputs returns the files of the command line. The error says that one of
// them cannot be written: better known before hours of work.
func fitOutputs(c *cli.Command) (outputs, error) {
	name := c.String("out")
	stem := strings.TrimSuffix(name, filepath.Ext(name))
	o := outputs{name, stem + ".checkpoint", stem + ".svg"}
	if s := c.String("checkpoint"); s != "" {
		o.checkpoint = s
	}
	if s := c.String("plot"); s != "" {
		o.picture = s
	}
	if _, err := fit.PictureFormat(o.picture); err != nil {
		return o, exit.WrongUse(err)
	}
	for _, f := range []string{o.network, o.checkpoint, o.picture} {
		if err := replace.Check(f); err != nil {
			return o, err
		}
	}
	return o, nil
}

// runFit fits as the flags say and writes network and picture.
func runFit(ctx context.Context, c *cli.Command, out io.Writer) error {
	if err := tool.NoArguments(c); err != nil {
		return err
	}
	config, err := fitConfig(c)
	if err != nil {
		return err
	}
	files, err := fitOutputs(c)
	if err != nil {
		return err
	}
	judges, err := fitJudges(c)
	if err != nil {
		return err
	}
	threads, names := c.Int("threads"), c.StringSlice("data")
	results, err := resultWeights(c.StringSlice("result"), names)
	if err != nil {
		return err
	}
	tables, err := fitTables(c)
	if err != nil {
		return err
	}
	var spool *loader.Spool
	if c.Bool("spool") {
		if spool, err = loader.NewSpool(files.network); err != nil {
			return err
		}
		defer spool.Close()
	}
	set, err := fit.Load(ctx, names, loader.Options{
		Filter: loader.Filter{
			MinPly: c.Int("min-ply"), MaxScore: c.Int("max-score"), MinPieces: c.Int("min-pieces"), Quiet: !c.Bool("noisy"),
		},
		Held: c.Float("held"), Threads: threads, Lambda: c.Float("lambda"), ScoreScale: config.ScoreScale,
		Results: results, Buffer: c.Int("window"), Tables: tables, Spool: spool,
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d positions to train on, %d held out, data %.16s\n", set.Positions(), set.Held(), set.Hash())

	var start *nnue.Network
	if s := c.String("start"); s != "" {
		if start, err = nnue.Load(s); err != nil {
			return err
		}
		config.Start = start.Hash()
	}
	trainer, err := startFit(config, set, start, files.checkpoint, c.Bool("fresh"))
	if err != nil {
		return err
	}
	trainer.SetThreads(threads)
	if trainer.Step() > 0 {
		fmt.Fprintf(out, "going on from step %d of %d in %s\n", trainer.Step(), trainer.Steps(), files.checkpoint)
	}
	if err := fitRun(ctx, trainer, files.checkpoint, judges, out); err != nil {
		return err
	}
	return finishFit(c, trainer, start, files, judges, out)
}

// finishFit writes network and picture and tells what the network is worth.
func finishFit(c *cli.Command, trainer *fit.Trainer, start *nnue.Network, files outputs, judges *judges, out io.Writer) error {
	config := trainer.Config()
	net, err := trainer.Network(fitCommands(c, start, config.Shards))
	if err != nil {
		return err
	}
	if err := net.Save(files.network); err != nil {
		return err
	}
	if err := judges.print(out, start, net); err != nil {
		return err
	}
	mean, largest := trainer.Rounding(net)
	scale := float64(config.Shape.Scale)
	fmt.Fprintf(out, "%s: network %v; rounding to integers moves scores by %.1f centipawns in the mean, %.1f at the most\n",
		files.network, net.Hash(), mean*scale, largest*scale)
	return trainer.Draw(files.picture)
}

// judges are positions that a fit is told about besides; nil for none.
type judges struct {
	set        *judge.Set
	scoreScale float64
}

// fitJudges returns those of the command line.
func fitJudges(c *cli.Command) (*judges, error) {
	name := c.String("judge")
	if name == "" {
		return nil, nil
	}
	set, err := judge.Read(name)
	return &judges{set, c.Float("score-scale")}, err
}

// text tells the loss of the network as it is now.
func (j *judges) text(t *fit.Trainer) (string, error) {
	if j == nil {
		return "", nil
	}
	net, err := t.Network(nil)
	if err != nil {
		return "", err
	}
	v := j.set.Judge(net, j.scoreScale)
	return ", " + v.Text(), nil
}

// print prints the losses of a network by phase, beside those of the one it began
// with, which may be nil.
func (j *judges) print(out io.Writer, start, net *nnue.Network) error {
	if j == nil {
		return nil
	}
	names, verdicts := []string{"this"}, []judge.Verdict{j.set.Judge(net, j.scoreScale)}
	if start != nil {
		names = []string{"start", "this"}
		verdicts = []judge.Verdict{j.set.Judge(start, j.scoreScale), verdicts[0]}
	}
	return judge.WriteText(out, names, j.set.Phases(verdicts))
}

// fitCommands returns the commands that made a network: those of the one it
// began with, those that made the data, and this one.
func fitCommands(c *cli.Command, start *nnue.Network, shards int) []string {
	var commands []string
	if start != nil {
		commands = append(commands, start.Provenance().Commands...)
	}
	commands = append(commands, c.StringSlice("origin")...)
	last := os.Args[1:]
	if !c.IsSet("shards") {
		last = append(slices.Clone(last), "--shards", strconv.Itoa(shards))
	}
	return append(commands, commandLine(last))
}

// startFit returns a trainer: gone on from the checkpoint where there is one,
// else from the network start, which may be nil.
func startFit(config fit.Config, set *fit.Set, start *nnue.Network, checkpoint string, fresh bool) (*fit.Trainer, error) {
	if !fresh {
		trainer, err := fit.Resume(checkpoint, config, set)
		switch {
		case err == nil:
			return trainer, nil
		case !errors.Is(err, os.ErrNotExist):
			return nil, fmt.Errorf("%w; --fresh begins anew", err)
		}
	}
	if start != nil {
		return fit.NewFrom(config, set, start)
	}
	return fit.New(config, set)
}

// fitRun trains to the end, or until it is interrupted, and saves checkpoints.
func fitRun(ctx context.Context, trainer *fit.Trainer, checkpoint string, judges *judges, out io.Writer) error {
	const between = time.Minute
	saved, began, first := time.Now(), time.Now(), trainer.Step()
	bar := fitBar(out, trainer)
	points := len(trainer.Curve())
	err := trainer.Run(ctx, func(t *fit.Trainer) error {
		if curve := t.Curve(); len(curve) > points {
			points = len(curve)
			p := curve[points-1]
			perStep := time.Since(began) / time.Duration(t.Step()-first)
			text := fmt.Sprintf("loss %.5f, held out %.5f, %.2f M/s", p.Train, p.Held,
				float64(t.Seen())/float64(t.Step())/1e6/perStep.Seconds())
			judged, err := judges.text(t)
			if err != nil {
				return err
			}
			text += judged
			if bar == nil {
				left := perStep * time.Duration(t.Steps()-t.Step())
				fmt.Fprintf(out, "step %d of %d: %s, %v left\n", t.Step(), t.Steps(), text, left.Round(time.Second))
			} else {
				bar.Describe(text)
			}
		}
		if bar != nil {
			bar.Add(1)
		}
		if time.Since(saved) < between {
			return nil
		}
		saved = time.Now()
		return t.Save(checkpoint)
	})
	if bar != nil {
		bar.Close()
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	if saveErr := trainer.Save(checkpoint); saveErr != nil {
		return saveErr
	}
	if err != nil {
		return fmt.Errorf("interrupted at step %d of %d; the same command goes on from %s", trainer.Step(), trainer.Steps(), checkpoint)
	}
	return nil
}

// fitBar returns a progress bar, nil where out is no terminal.
func fitBar(out io.Writer, trainer *fit.Trainer) *progress.Bar {
	if !progress.Terminal(out) {
		return nil
	}
	bar := progress.New(out, trainer.Steps(), "fit")
	bar.Begin(trainer.Step())
	return bar
}
