package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"

	"github.com/urfave/cli/v3"
)

// profiles writes pprof files around a command.
type profiles struct {
	cpu, mem string
	file     *os.File
}

func (p *profiles) flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "cpuprofile", Usage: "write a CPU profile to `FILE`", Destination: &p.cpu},
		&cli.StringFlag{Name: "memprofile", Usage: "write a heap profile to `FILE`", Destination: &p.mem},
	}
}

// start begins the CPU profile.
func (p *profiles) start(ctx context.Context, _ *cli.Command) (context.Context, error) {
	if p.cpu == "" {
		return ctx, nil
	}
	file, err := os.Create(p.cpu)
	if err != nil {
		return ctx, fmt.Errorf("cpuprofile: %w", err)
	}
	p.file = file
	return ctx, pprof.StartCPUProfile(file)
}

// stop ends the CPU profile and writes the heap's.
func (p *profiles) stop(context.Context, *cli.Command) error {
	if p.file != nil {
		pprof.StopCPUProfile()
		if err := p.file.Close(); err != nil {
			return fmt.Errorf("cpuprofile: %w", err)
		}
	}
	if p.mem == "" {
		return nil
	}
	file, err := os.Create(p.mem)
	if err != nil {
		return fmt.Errorf("memprofile: %w", err)
	}
	runtime.GC()
	if err := pprof.WriteHeapProfile(file); err != nil {
		return fmt.Errorf("memprofile: %w", err)
	}
	return file.Close()
}
