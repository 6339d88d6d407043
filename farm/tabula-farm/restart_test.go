package main

import (
	"bytes"
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestHubRestart ends the hub during a run and starts it again, twice.
func TestHubRestart(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "127.0.0.1:0", 0)
	f.worker("a", 2, nil)
	k := toy{N: 400, Sleep: 20 * time.Millisecond}
	want, _ := alone(t, k)
	ended := make(chan error)
	go func() { ended <- f.run(f.ctx, &k, nil) }()
	for n := range 2 {
		f.until("some jobs are done", func() bool { return f.results() >= 50*(n+1) })
		kit.Succeed(t, f.hub.Close())
		time.Sleep(time.Second)
		f.start()
	}
	if err := <-ended; err != nil || k.Text() != want {
		t.Errorf("%v: %s, want %s", err, k.Text(), want)
	}
}

// TestLostAnswer breaks the connection of a run with a request in it, whose answer never comes: the run does not wait
// for it until its time is over.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	for _, request := range []string{
		"CONSUMER.CREATE." + run.JobsStream, "STREAM.INFO." + run.ResultsStream,
		"CONSUMER.CREATE." + run.ResultsStream, "CONSUMER.MSG.NEXT." + run.ResultsStream,
	} {
		t.Run(request, func(t *testing.T) {
			t.Parallel()
			f := newFarm(t, "127.0.0.1:0", 0)
			f.worker("a", 1, nil)
			l := &lossy{address: f.config.Listen, request: []byte("$JS.API." + request)}
			c, err := run.Dial(f.ctx, run.ConnectOptions{Process: l, Log: testLog()}, time.Minute)
			kit.Succeed(t, err)
			t.Cleanup(c.Close)
			c.JS, err = jetstream.New(c.NC, jetstream.WithDefaultTimeout(time.Second)) // instead of ten seconds
			kit.Succeed(t, err)
			l.armed.Store(true)
			ctx, cancel := context.WithTimeout(f.ctx, time.Minute)
			defer cancel()
			k := toy{N: 10}
			err = f.run(ctx, &k, func(p *run.Remote) { p.Conn = c })
			if lost := !l.armed.Load(); err != nil || k.folded() != 10 || !lost {
				t.Errorf("%v, %d folded, a request was lost: %v", err, k.folded(), lost)
			}
		})
	}
}

// lossy connects to a hub. Once it is armed, a connection breaks with the first request of a kind.
type lossy struct {
	address string
	request []byte
	armed   atomic.Bool
}

func (l *lossy) InProcessConn() (net.Conn, error) {
	c, err := net.Dial("tcp", l.address)
	return lossyConn{c, l}, err
}

type lossyConn struct {
	net.Conn
	*lossy
}

func (c lossyConn) Write(b []byte) (int, error) {
	if bytes.Contains(b, c.request) && c.armed.CompareAndSwap(true, false) {
		return len(b), c.Close()
	}
	return c.Conn.Write(b)
}
