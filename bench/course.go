package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v3"

	judge "github.com/tabula-chess/tabula/bench/course"
	"github.com/tabula-chess/tabula/examples/course"
	"github.com/tabula-chess/tabula/internal/exit"
)

// courseCommand judges a reader's generator.
func courseCommand() *cli.Command {
	return &cli.Command{
		Name:      "course",
		Usage:     "test your own move generator with the tests of a chapter of docs/course",
		ArgsUsage: "CHAPTER",
		Description: "Runs the tests of a chapter, from 1, in order of difficulty, and explains the first failure: the\n" +
			"smallest position, the wrong move and the rule. Without a chapter, lists the chapters.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "go", Usage: "test the Go package in `FOLDER`, which has func Moves(fen string) []string"},
			engineFlag("test go perft of"),
		},
		Commands: []*cli.Command{startCommand()},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			out := cmd.Root().Writer
			folder, engine := cmd.String("go"), cmd.String("engine")
			if cmd.NArg() == 0 && folder == "" && engine == "" {
				for i, c := range course.Chapters() {
					fmt.Fprintf(out, "%2d  %-10s %s\n", i+1, c.Name, c.Title)
				}
				return nil
			}
			number, err := chapterOf(cmd)
			if err != nil {
				return err
			}
			chapter, err := judge.Find(number)
			if err != nil {
				return err
			}
			if (folder == "") == (engine == "") {
				return exit.WrongUsef("course: want one of --go and --engine")
			}
			var subject judge.Subject
			if folder != "" {
				subject, err = judge.StartPackage(ctx, folder, cmd.Root().ErrWriter)
			} else {
				subject, err = judge.StartEngine(ctx, engine)
			}
			if err != nil {
				return err
			}
			defer subject.Close()
			fmt.Fprintf(out, "Chapter %d: %s\n\n", number, chapter.Title)
			return judge.Judge(subject, chapter, out)
		},
	}
}

// startCommand writes a starter folder.
func startCommand() *cli.Command {
	return &cli.Command{
		Name:      "start",
		Usage:     "write a folder with two empty functions and the tests of a chapter",
		ArgsUsage: "CHAPTER",
		Flags:     []cli.Flag{&cli.StringFlag{Name: "out", Usage: "write into `FOLDER`; its name becomes the package's"}},
		Action: func(_ context.Context, cmd *cli.Command) error {
			number, err := chapterOf(cmd)
			if err != nil {
				return err
			}
			if cmd.String("out") == "" {
				return exit.WrongUsef("out: want a folder")
			}
			names, err := judge.Start(number, cmd.String("out"))
			if err != nil {
				return err
			}
			for _, name := range names {
				fmt.Fprintln(cmd.Root().Writer, name)
			}
			fmt.Fprintf(cmd.Root().Writer, "\nNext: go run ./bench course %d --go %s\n", number, cmd.String("out"))
			return nil
		},
	}
}

// chapterOf reads the number of a chapter.
func chapterOf(cmd *cli.Command) (int, error) {
	if cmd.NArg() != 1 {
		return 0, exit.WrongUsef("%s: want the number of one chapter", cmd.Name)
	}
	number, err := strconv.Atoi(cmd.Args().First())
	if err != nil {
		return 0, exit.WrongUsef("chapter: %q is not a number%s", cmd.Args().First(),
			exit.DidYouMean(cmd.Args().First(), []string{"start"}, ""))
	}
	return number, nil
}
