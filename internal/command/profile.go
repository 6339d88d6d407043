package command

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
)

// StartProfile starts the profiles whose file names are not empty: a CPU profile from now on, and a
// heap profile at the end. The caller must always call the returned function, which completes the
// files. Both files are opened now, so that a bad name fails early.
func StartProfile(cpu, heap string) (stop func() error, err error) {
	var files [2]*os.File
	closeAll := func() error {
		var err error
		for _, f := range files {
			if f != nil {
				err = errors.Join(err, f.Close())
			}
		}
		return err
	}
	for i, name := range []string{cpu, heap} {
		if name == "" {
			continue
		}
		if files[i], err = os.Create(name); err != nil {
			return nil, errors.Join(fmt.Errorf("profile: %w", err), closeAll())
		}
	}
	if files[0] != nil {
		if err := pprof.StartCPUProfile(files[0]); err != nil {
			return nil, errors.Join(fmt.Errorf("profile: %w", err), closeAll())
		}
	}
	return func() error {
		var err error
		if files[0] != nil {
			pprof.StopCPUProfile()
		}
		if files[1] != nil {
			runtime.GC()
			err = pprof.WriteHeapProfile(files[1])
		}
		if err := errors.Join(err, closeAll()); err != nil {
			return fmt.Errorf("profile: %w", err)
		}
		return nil
	}, nil
}
