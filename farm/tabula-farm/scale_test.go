//go:build unix

package main

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/test/kit"
)

// BenchmarkResults counts the results that 200 workers bring in a second, each of one core.
func BenchmarkResults(b *testing.B) {
	ackWait = 0
	f := newFarm(b, "127.0.0.1:0", 0)
	for n := range 200 {
		f.worker(fmt.Sprint(n), 1, nil)
	}
	f.comes(toy{N: 400}) // until all are at work
	jobs := 6000
	for n := 0; b.Loop(); n++ {
		began := time.Now()
		f.comes(toy{N: jobs, Break: jobs + n + 1})
		b.ReportMetric(float64(jobs)/time.Since(began).Seconds(), "results/s")
	}
}

// BenchmarkWorkers compares the time that two workers take with that of one; jobs take 50 ms and
// no processor time. The efficiency is one's time by twice two's. A run begins when its workers next ask, up to a second
// later, which is part of both times.
func BenchmarkWorkers(b *testing.B) {
	ackWait = 0
	for n := 0; b.Loop(); n++ {
		f := newFarm(b, "127.0.0.1:0", 0)
		var took [2]float64
		for i := range 2 {
			f.worker(fmt.Sprint(n, i), 1, nil)
			f.comes(toy{N: 10, Break: 2000 + 10*n + i})
			began := time.Now()
			f.comes(toy{N: 1200, Sleep: 50 * time.Millisecond, Break: 3000 + 10*n + i})
			took[i] = time.Since(began).Seconds()
		}
		b.ReportMetric(took[0]/took[1]/2, "efficiency")
	}
}

// BenchmarkIdle measures the processor time that a thousand idle workers cost, their own included.
func BenchmarkIdle(b *testing.B) {
	ackWait = 0
	f := newFarm(b, "127.0.0.1:0", 0)
	for n := range 1000 {
		f.worker(fmt.Sprint(n), 1, nil)
	}
	used := func() float64 {
		var u syscall.Rusage
		kit.Succeed(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
	}
	for b.Loop() {
		before := used()
		time.Sleep(20 * time.Second)
		b.ReportMetric((used()-before)/20, "ms/s")
	}
}
