package link

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/tabula-farm/run/runtest"
)

// dial connects to a server of the test's own, with its streams.
func dial(t *testing.T) *Conn {
	t.Helper()
	c, err := Dial(t.Context(), Options{Process: runtest.Server(t)}, time.Minute)
	must.Succeed(t, err)
	t.Cleanup(c.Close)
	must.Succeed(t, c.Ensure(t.Context()))
	return c
}

// TestFiles keeps files of one part and of several, and returns none that is not
// what its name says.
func TestFiles(t *testing.T) {
	c, ctx := dial(t), t.Context()
	for _, n := range []int{0, 1, partSize, partSize + 1, 3*partSize - 1} {
		data := bytes.Repeat([]byte{byte(n), 2, 3}, n/3+1)[:n]
		sum := Sum(data)
		must.Succeed(t, c.PutInput(ctx, "r", data))
		if got, err := c.Inputs("r").Get(ctx, sum); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes: %d, %v", n, len(got), err)
		}
		for range 2 { // what is there is left as it is
			must.Succeed(t, c.PutArtefact(ctx, "r", data))
		}
		a := run.Artefact{Sum: sum, Size: n}
		r := &run.Result{Run: "r", Worker: c.Key + ".m", Files: []run.Artefact{a}}
		if got, err := c.Artefact(ctx, r, a); err != nil || !bytes.Equal(got, data) {
			t.Errorf("artefact of %d bytes: %d, %v", n, len(got), err)
		}
		if _, err := c.Artefact(ctx, &run.Result{Run: "r", Worker: "UB.m"}, a); n > 0 && !errors.Is(err, ErrNone) {
			t.Errorf("another worker's file: %v", err)
		}
		must.Succeed(t, c.DropArtefacts(ctx, r))
		if _, err := c.Artefact(ctx, r, a); n > 0 && !errors.Is(err, ErrNone) {
			t.Errorf("a file that was dropped: %v", err)
		}
	}
	sum := Sum([]byte("right"))
	_, err := c.First(ctx, "art.r.UA."+sum+".0", []byte("wrong"))
	must.Succeed(t, err)
	if _, err := c.Artefact(ctx, &run.Result{Run: "r", Worker: "UA.m"}, run.Artefact{Sum: sum, Size: 5}); !errors.Is(err, ErrNone) {
		t.Errorf("a file of other bytes: %v", err)
	}
}

// TestFirstAndLast shows that the first result of a job stays and the last state of
// a run counts, and reads more messages than one answer holds.
func TestFirstAndLast(t *testing.T) {
	c, ctx := dial(t), t.Context()
	for i, want := range []bool{true, false} {
		first, err := c.First(ctx, "res.r.0.0", []byte{byte(i)})
		if err != nil || first != want {
			t.Errorf("result %d: first %v, %v", i, first, err)
		}
	}
	if m, err := c.Last(ctx, Res, "res.r.0.0"); err != nil || m.Seq != 1 || len(m.Data) != 1 || m.Data[0] != 0 || m.Time.IsZero() {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := c.Last(ctx, Res, "res.r.0.1"); !errors.Is(err, ErrNone) {
		t.Errorf("a result that is not there: %v", err)
	}
	const runs = 2*batchSize + 50
	for i := range 2 * runs {
		_, err := c.JS.PublishAsync(fmt.Sprintf("end.%d", i%runs), fmt.Appendf(nil, `{"run":"%d","jobs":%d}`, i%runs, i/runs))
		must.Succeed(t, err)
	}
	<-c.JS.PublishAsyncComplete()
	ended, err := c.EndedRuns(ctx)
	if err != nil || len(ended) != runs {
		t.Fatalf("%d runs, %v; want %d", len(ended), err, runs)
	}
	for i, e := range ended {
		if e.Run != fmt.Sprint(i) || e.Jobs != 1 {
			t.Fatalf("run %d: %+v", i, e)
		}
	}
	// An answer is bounded by its bytes too.
	for i := range 24 {
		_, err := c.First(ctx, fmt.Sprintf("in.r.x.%d", i), make([]byte, partSize))
		must.Succeed(t, err)
	}
	if all, err := c.Latest(ctx, Input, "in.r.x.*"); err != nil || len(all) != 24 {
		t.Errorf("%d parts, %v", len(all), err)
	}
	must.Succeed(t, c.Purge(ctx, Input, "in.r.x.1*"))
	if all, err := c.Latest(ctx, Input, "in.r.x.*"); err != nil || len(all) != 24 {
		t.Errorf("%d parts, %v; a star stands for a whole word", len(all), err)
	}
	must.Succeed(t, c.Purge(ctx, Input, "in.r.x.1"))
	if all, err := c.Latest(ctx, Input, "in.r.x.*"); err != nil || len(all) != 23 {
		t.Errorf("%d parts, %v", len(all), err)
	}
}

// TestRuns opens, ends, opens again and forgets a run.
func TestRuns(t *testing.T) {
	c, ctx := dial(t), t.Context()
	m := &run.Manifest{Kind: "toy", Version: 1, Params: []byte("0"), Jobs: 3}
	id := m.ID()
	must.Succeed(t, c.PutInput(ctx, id, []byte("needed")))
	if _, err := c.Manifest(ctx, id); !errors.Is(err, ErrNone) {
		t.Errorf("a manifest that is not there: %v", err)
	}
	for range 2 {
		must.Succeed(t, c.PutManifest(ctx, m))
	}
	if got, err := c.Manifest(ctx, id); err != nil || got.ID() != id {
		t.Errorf("%v, %v", got, err)
	}
	must.Succeed(t, c.PutOpen(ctx, Open{Run: id, Jobs: 3, Name: "x"}))
	must.Succeed(t, c.PutKept(ctx, id, 2))
	_, err := c.First(ctx, run.Job{Run: id}.Subject(), []byte("result"))
	must.Succeed(t, err)
	must.Succeed(t, c.PutArtefact(ctx, id, []byte("file")))
	open, err := c.OpenRuns(ctx)
	kept, last := c.Kept(ctx, id)
	must.Succeed(t, errors.Join(err, last))
	if len(open) != 1 || open[0].Name != "x" || kept != 2 {
		t.Errorf("open %+v, kept %d", open, kept)
	}
	if _, ok, err := c.Ended(ctx, id); ok || err != nil {
		t.Errorf("the run has ended, %v", err)
	}
	must.Succeed(t, c.PutEnd(ctx, End{Open: Open{Run: id, Jobs: 3}, Text: "over"}))
	if e, ok, err := c.Ended(ctx, id); !ok || err != nil || e.Text != "over" {
		t.Errorf("%+v, %v, %v", e, ok, err)
	}
	if _, ok, err := c.Opened(ctx, id); ok || err != nil {
		t.Errorf("after the end it is open: %v, %v", ok, err)
	}
	must.Succeed(t, c.Reopen(ctx, id))
	if _, ok, err := c.Ended(ctx, id); ok || err != nil {
		t.Errorf("opened again: ended %v, %v", ok, err)
	}
	must.Succeed(t, c.Forget(ctx, id))
	for _, stream := range []string{Runs, Res, Art, Input} {
		if left, err := c.Latest(ctx, stream, ">"); err != nil || len(left) != 0 {
			t.Errorf("%s has %v of a run that was forgotten, %v", stream, left, err)
		}
	}
}

// TestWorkers enrols, bans and lifts a ban, and knows the farm again.
func TestWorkers(t *testing.T) {
	c, ctx := dial(t), t.Context()
	must.Succeed(t, c.Enrol(ctx, Enrolled{Key: "UA", Name: "a"}))
	must.Succeed(t, c.PutBan(ctx, Ban{Worker: "UA.m", Reason: "r"}))
	must.Succeed(t, c.PutBan(ctx, Ban{Worker: "UB"}))
	keys, err := c.Keys(ctx)
	bans, also := c.Bans(ctx)
	must.Succeed(t, errors.Join(err, also))
	if len(keys) != 1 || keys[0].Name != "a" || len(bans) != 2 {
		t.Errorf("keys %v, bans %v", keys, bans)
	}
	must.Succeed(t, c.Unban(ctx, "UB"))
	if bans, err = c.Bans(ctx); err != nil || len(bans) != 1 || bans[0].Reason != "r" {
		t.Errorf("bans %v, %v", bans, err)
	}
	for name, want := range map[string]bool{"UA": true, "UA.m": true, "UA.m2": false, "U": false, "UB": false} {
		if Covers(name, "UA.m") != want {
			t.Errorf("%s covers UA.m: %v", name, !want)
		}
	}
	var ids []string
	for range 2 {
		must.Succeed(t, c.Ensure(ctx))
		id, err := c.FarmID(ctx)
		must.Succeed(t, err)
		ids = append(ids, id)
	}
	if ids[0] == "" || ids[0] != ids[1] {
		t.Errorf("ids %v", ids)
	}
	if used, _, err := c.Space(ctx); err != nil || used <= 0 {
		t.Errorf("%d bytes are used, %v", used, err)
	}
}

// TestMessages shows that the coordinator knows a worker by the subject of its message,
// whatever the message says, and what is said where there is none.
func TestMessages(t *testing.T) {
	c, ctx := dial(t), t.Context()
	c.options.Machine = "m"
	if _, err := c.AskJob(ctx, &Ask{}); !errors.Is(err, ErrNoCoordinator) {
		t.Errorf("%v, want that there is no coordinator", err)
	}
	heard := make(chan Incoming, 10)
	stop, err := c.Listen(func(m Incoming) {
		heard <- m
		if m.What == "ask" {
			m.Answer(Answer{Note: "none"})
		}
	})
	must.Succeed(t, err)
	defer stop()
	must.Succeed(t, c.NC.Flush())
	answer, err := c.AskJob(ctx, &Ask{Delivered: "x"})
	must.Succeed(t, err)
	if answer.Note != "none" {
		t.Errorf("%+v", answer)
	}
	c.Tell("alive", map[string]string{"worker": "somebody else"})
	for _, want := range []string{"ask", "alive"} {
		if m := <-heard; m.What != want || m.From != c.Key+".m" {
			t.Errorf("%s from %s, want %s", m.What, m.From, want)
		}
	}
}

// TestAsk ends questions with who asks.
func TestAsk(t *testing.T) {
	c := dial(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := c.Ask(ctx, func(ctx context.Context) error { cancel(); <-ctx.Done(); return errors.New("no answer") })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
	own := errors.New("its own")
	if err := c.Ask(t.Context(), func(context.Context) error { return own }); !errors.Is(err, own) {
		t.Errorf("%v, want the answer's error", err)
	}
	c.Close()
	<-c.Closed()
	if err := c.Put(t.Context(), "ban.U", nil); err == nil {
		t.Error("a closed connection takes messages")
	}
}

// TestLostDuringRead closes the connection, or ends the reader's context, before a
// question has its answer.
func TestLostDuringRead(t *testing.T) {
	c := dial(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	own := errors.New("its own")
	for stream, end := range map[string]func(){"A": func() { cancel(own) }, "B": c.Close} {
		_, err := c.NC.Subscribe("$JS.API.DIRECT.GET."+stream, func(*nats.Msg) { go end() })
		must.Succeed(t, err)
	}
	if _, err := c.Last(ctx, "A", "a"); !errors.Is(err, own) {
		t.Errorf("%v, want the reason of the context", err)
	}
	if _, err := c.Last(t.Context(), "B", "b"); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Errorf("%v, want %v", err, nats.ErrConnectionClosed)
	}
}

func TestNames(t *testing.T) {
	for text, ok := range map[string]bool{
		"nats://a:4222": true, "a:4222": true, "a": true, "nats://a:1,nats://b:2": true, " nats://a ": true, "tls://a": true, "wss://a:443": true,
		"": false, "http://a": false, "nats://": false, "nats://a:70000": false, "nats://a:x": false, "nats://a,": false, "nats://a,http://b": false,
	} {
		if err := CheckURL(text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
	name := filepath.Join(t.TempDir(), "key")
	for _, role := range []string{RoleWorker, RoleOwner} {
		for _, pin := range []string{"", strings.Repeat("b", 64)} {
			k, err := NewKey(role, pin)
			must.Succeed(t, err)
			text, err := k.Text()
			must.Succeed(t, err)
			filestest.Write(t, name, text)
			got, err := ReadKey(name)
			must.Succeed(t, err)
			want, _ := k.Pair.PublicKey()
			if public, err := got.Pair.PublicKey(); err != nil || public != want || got.Role != role || got.Pin != pin {
				t.Errorf("%+v, %v; want %+v", got, err, k)
			}
			for _, bad := range []string{"", "x", "a-b", strings.Replace(string(text), role, "boss", 1), string(text[:20]), strings.TrimSpace(string(text)) + "b", strings.TrimSpace(string(text)) + "-"} {
				if _, err := parseKey(bad); err == nil {
					t.Errorf("%q is taken for a key", bad)
				}
			}
		}
	}
	if _, err := ReadKey(name + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestRights(t *testing.T) {
	r := WorkerRights("UA")
	for _, may := range []string{"res.*.*.*", "ask.UA.*", "art.*.UA.*.*", "alive.UA.*", "$JS.API.DIRECT.GET." + Input} {
		if !slices.Contains(r.Publish, may) {
			t.Errorf("it may not send to %s", may)
		}
	}
	for _, stream := range []string{Res, Art} {
		if slices.ContainsFunc(r.Publish, func(s string) bool { return strings.Contains(s, "GET."+stream) }) {
			t.Errorf("it may read %s", stream)
		}
	}
	if want := []string{inboxPrefix("UA") + ".>", "over.*", "leave.>"}; !slices.Equal(r.Subscribe, want) || !slices.Equal(r.Deny, []string{"res.*.*.9"}) {
		t.Errorf("it may hear %v and not send to %v", r.Subscribe, r.Deny)
	}
}
