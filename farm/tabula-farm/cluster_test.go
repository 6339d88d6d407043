package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/testkit"
)

// TestCluster carries a run out on a cluster of three NATS servers, whose accounts tabula-farm enrol has
// written, and kills the servers in turn: hub, workers and owner are commands.
func TestCluster(t *testing.T) {
	if os.Getenv("TABULA_FARM_LONG") == "" {
		t.Skip("three servers on a busy machine elect for minutes; TABULA_FARM_LONG=1 runs it")
	}
	dir := t.TempDir()
	accounts := filepath.Join(dir, "accounts.conf")
	for _, name := range []string{"attic", "cellar"} {
		if code, _, errOut := farmRun("enrol", "--accounts", accounts, name); code != 0 {
			t.Fatal(errOut)
		}
	}
	var client, route [3]int
	var routes, urls []string
	for n := range 3 {
		client[n], route[n] = port(t), port(t)
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", route[n]))
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", client[n]))
	}
	var servers [3]*process
	for n := range 3 {
		name := filepath.Join(dir, fmt.Sprintf("n%d.conf", n))
		testkit.Write(t, name, fmt.Appendf(nil, `server_name: n%d
listen: 127.0.0.1:%d
jetstream: { store_dir: %q, max_mem: 256M, max_file: 1G, sync_interval: always }
cluster: { name: farm, listen: 127.0.0.1:%d, routes: [ %s ] }
include accounts.conf
`, n, client[n], filepath.Join(dir, fmt.Sprint("n", n)), route[n], strings.Join(routes, ", ")))
		servers[n] = start(t, "nats", name)
	}
	url := strings.Join(urls, ",")
	hub := start(t, "farm", "hub", "--hub", url, "--key", filepath.Join(dir, "own.key"), "--dir",
		filepath.Join(dir, "hub"), "--http", "")
	for _, name := range []string{"attic", "cellar"} {
		start(t, "farm", "work", "--hub", url, "--key", filepath.Join(dir, name+".key"), "--dir", filepath.Join(dir, name),
			"--cores", "1")
	}
	out := filepath.Join(dir, "out")
	const jobs = 2000
	owner := start(t, "farm", "toy", "--hub", url, "--key", filepath.Join(dir, "own.key"), "--dir",
		filepath.Join(dir, "owner"), "--games", fmt.Sprint(jobs), "--nodes", "40", "--pgn", out)
	key, err := run.ReadKey(filepath.Join(dir, "own.key"))
	testkit.Succeed(t, err)
	conn, err := run.Dial(t.Context(), run.Options{URL: url, Key: key, Log: testLog()}, time.Minute)
	testkit.Succeed(t, err)
	defer conn.Close()
	kills := 0
	for done := false; !done; {
		select {
		case err := <-owner.done:
			if err != nil {
				t.Fatalf("%v\n%s\n%s", err, &owner.err, &hub.err)
			}
			done = true
		case <-time.After(time.Second):
			if kills < 9 && whole(conn) {
				n := kills % 3
				servers[n].kill()
				time.Sleep(2 * time.Second)
				servers[n] = servers[n].again()
				kills++
			}
		}
	}
	text, file := toyAlone(t, newToy(t, jobs, 0, toy{Checked: 1, File: 300, Sleep: 40 * time.Millisecond}))
	got, err := os.ReadFile(out)
	testkit.Succeed(t, err)
	if !bytes.Equal(got, file) || strings.TrimSpace(owner.out.String()) != text {
		t.Errorf("%s, want %s; %d bytes, want %d", &owner.out, text, len(got), len(file))
	}
	if kills == 0 {
		t.Error("no server was killed")
	}
	t.Logf("%d jobs, %d servers killed", jobs, kills)
}

// whole reports whether all three servers have the streams of jobs and results, and there are some.
func whole(c *run.Conn) bool {
	for _, name := range []string{run.JobsStream, run.ResultsStream} {
		s, err := c.JS.Stream(context.Background(), name)
		if err != nil || s.CachedInfo().State.LastSeq == 0 || s.CachedInfo().Cluster == nil ||
			len(s.CachedInfo().Cluster.Replicas) != 2 {
			return false
		}
		for _, r := range s.CachedInfo().Cluster.Replicas {
			if !r.Current || r.Offline {
				return false
			}
		}
	}
	return true
}
