package link

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/tabula-chess/tabula/farm/run"
)

// dial connects to a server of the test's own, with its streams.
func dial(t *testing.T) *Conn {
	t.Helper()
	s, err := server.NewServer(&server.Options{DontListen: true, NoLog: true, NoSigs: true, JetStream: true, StoreDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	c, err := Dial(Options{Process: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if err := c.Wait(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := c.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// try ends the test at an error.
func try(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestFiles keeps files of one part and of several, and returns none that is not
// what its name says.
func TestFiles(t *testing.T) {
	c, ctx := dial(t), t.Context()
	for _, n := range []int{0, 1, partSize, partSize + 1, 3*partSize - 1} {
		data := bytes.Repeat([]byte{byte(n), 2, 3}, n/3+1)[:n]
		sum, err := c.PutInput(ctx, data)
		try(t, err)
		if got, err := c.Get(ctx, sum); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes: %d, %v", n, len(got), err)
		}
		for range 2 { // what is there is left as it is
			try(t, c.PutArtefact(ctx, "UA", data))
		}
		a := run.Artefact{Sum: sum, Size: n}
		if got, err := c.Artefact(ctx, "UA", a); err != nil || !bytes.Equal(got, data) {
			t.Errorf("artefact of %d bytes: %d, %v", n, len(got), err)
		}
		if _, err := c.Artefact(ctx, "UB", a); n > 0 && !errors.Is(err, ErrNone) {
			t.Errorf("another worker's file: %v", err)
		}
		try(t, c.DropArtefact(ctx, "UA", a))
		if _, err := c.Artefact(ctx, "UA", a); n > 0 && !errors.Is(err, ErrNone) {
			t.Errorf("a file that was dropped: %v", err)
		}
	}
	sum := Sum([]byte("right"))
	_, err := c.First(ctx, "art.UA."+sum+".0", []byte("wrong"))
	try(t, err)
	for _, size := range []int{5, -1, run.MaxArtefact + 1} {
		if _, err := c.Artefact(ctx, "UA", run.Artefact{Sum: sum, Size: size}); !errors.Is(err, ErrNone) {
			t.Errorf("a file of other bytes, size %d: %v", size, err)
		}
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
		try(t, err)
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
		_, err := c.First(ctx, fmt.Sprintf("in.x.%d", i), make([]byte, partSize))
		try(t, err)
	}
	if all, err := c.Latest(ctx, Input, "in.x.*"); err != nil || len(all) != 24 {
		t.Errorf("%d parts, %v", len(all), err)
	}
	last, made, err := c.LastSeq(ctx, Input)
	if err != nil || last != 24 || made.IsZero() {
		t.Errorf("the last message of the inputs is %d, %v", last, err)
	}
	if m, err := c.Message(ctx, Input, 7); err != nil || m.Subject != "in.x.6" || m.Seq != 7 {
		t.Errorf("message %s, %v", m.Subject, err)
	}
	if _, err := c.Message(ctx, Input, 25); !errors.Is(err, ErrNone) {
		t.Errorf("a message that is not there: %v", err)
	}
	try(t, c.Purge(ctx, Input, "in.x.1*"))
	subjects, err := c.Subjects(ctx, Input, "in.x.>")
	if err != nil || len(subjects) != 24 {
		t.Errorf("%d subjects, %v; a star stands for a whole part", len(subjects), err)
	}
	try(t, c.Purge(ctx, Input, "in.x.1"))
	if subjects, err = c.Subjects(ctx, Input, "in.x.>"); err != nil || len(subjects) != 23 || subjects["in.x.1"] != 0 || subjects["in.x.2"] != 1 {
		t.Errorf("subjects %v, %v", subjects, err)
	}
}

// TestRuns opens, ends and opens a run again.
func TestRuns(t *testing.T) {
	c, ctx := dial(t), t.Context()
	m, err := run.NewManifest("toy", 3, 1, 0)
	try(t, err)
	if _, err := c.Manifest(ctx, m.ID()); !errors.Is(err, ErrNone) {
		t.Errorf("a manifest that is not there: %v", err)
	}
	for range 2 {
		try(t, c.PutManifest(ctx, m))
	}
	if got, err := c.Manifest(ctx, m.ID()); err != nil || got.ID() != m.ID() {
		t.Errorf("%v, %v", got, err)
	}
	id := m.ID()
	epoch, err := c.Epoch(ctx)
	try(t, err)
	if again, err := c.Epoch(ctx); err != nil || again != epoch || epoch == "" {
		t.Errorf("epochs %q, %q, %v", epoch, again, err)
	}
	try(t, c.PutOpen(ctx, Open{Run: id, Jobs: 3, Lanes: []int{AnyLane}, Epoch: epoch}))
	try(t, c.Consumer(ctx, id, AnyLane, epoch, Usual()))
	j := run.Job{Run: id, Index: 2, K: 1}
	try(t, c.Put(ctx, JobSubject(j, AnyLane), nil))
	try(t, c.Put(ctx, "dead."+j.Name(), nil))
	if open, err := c.OpenRuns(ctx); err != nil || len(open) != 1 || open[0].Run != id || open[0].Jobs != 3 {
		t.Errorf("open: %+v, %v", open, err)
	}
	consumer, err := c.JS.Consumer(ctx, Jobs, ConsumerName(id, AnyLane, epoch))
	try(t, err)
	message, err := consumer.Next()
	try(t, err)
	if got, err := ParseJob(message.Subject()); err != nil || got.Name() != j.Name() {
		t.Errorf("job %s, %v; want %s", got.Name(), err, j.Name())
	}
	if _, ok, err := c.Ended(ctx, id); ok || err != nil {
		t.Errorf("the run has ended, %v", err)
	}
	try(t, c.PutEnd(ctx, End{Run: id, Jobs: 3, Text: "over"}))
	if e, ok, err := c.Ended(ctx, id); !ok || err != nil || e.Text != "over" {
		t.Errorf("%+v, %v, %v", e, ok, err)
	}
	open, err := c.OpenRuns(ctx)
	try(t, err)
	jobs, err := c.Subjects(ctx, Jobs, "job."+id+".>")
	try(t, err)
	_, gone := c.JS.Consumer(ctx, Jobs, ConsumerName(id, AnyLane, epoch))
	if len(open) != 0 || len(jobs) != 0 || gone == nil {
		t.Errorf("after the end: open %v, jobs %v, consumer %v", open, jobs, gone)
	}
	try(t, c.Reopen(ctx, id))
	_, ok, err := c.Ended(ctx, id)
	_, dead := c.Last(ctx, Dead, "dead."+j.Name())
	if ok || err != nil || !errors.Is(dead, ErrNone) {
		t.Errorf("opened again: ended %v, %v; given up: %v", ok, err, dead)
	}
	try(t, c.Purge(ctx, Jobs, ">"))
	if again, err := c.Epoch(ctx); err != nil || again == epoch {
		t.Errorf("the queue has died and its epoch is still %q, %v", again, err)
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
	err = c.Ask(t.Context(), func(ctx context.Context) error { c.live(); <-ctx.Done(); return ctx.Err() })
	if !errors.Is(err, errLost) {
		t.Errorf("%v, want that the connection was lost", err)
	}
	c.Close()
	<-c.Closed()
	if err := c.Put(t.Context(), "ban.U", nil); err == nil {
		t.Error("a closed connection takes messages")
	}
}

// TestNames reads subjects, addresses and tokens, and refuses what is none.
func TestNames(t *testing.T) {
	for subject, want := range map[string]run.Job{
		"res.r.3.1": {Run: "r", Index: 3, K: 1}, "job.r.4.3.1": {Run: "r", Index: 3, K: 1}, "dead.r.0.0": {Run: "r"},
		"res.r.3": {K: -1}, "res.r.3.1.2.4": {K: -1}, "res.r.x.1": {K: -1}, "res.r.1.x": {K: -1}, "res.r.-1.1": {K: -1}, "res.r.1.-1": {K: -1}, "job.epoch": {K: -1},
	} {
		got, err := ParseJob(subject)
		if want.K < 0 {
			if err == nil {
				t.Errorf("%s is taken for job %s", subject, got.Name())
			}
		} else if err != nil || got.Name() != want.Name() {
			t.Errorf("%s: %s, %v", subject, got.Name(), err)
		}
	}
	for text, ok := range map[string]bool{
		"nats://a:4222": true, "a:4222": true, "a": true, "nats://a:1,nats://b:2": true, " nats://a ": true, "tls://a": true, "wss://a:443": true,
		"": false, "http://a": false, "nats://": false, "nats://a:70000": false, "nats://a:x": false, "nats://a,": false, "nats://a,http://b": false,
	} {
		if err := CheckURL(text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
	token := Token{RoleWorker, strings.Repeat("0a", 16), strings.Repeat("b", 64)}
	for _, role := range []string{RoleWorker, RoleOwner} {
		token.Role = role
		if got, err := ParseToken(" " + token.String() + "\n"); err != nil || got != token {
			t.Errorf("%v, %v", got, err)
		}
	}
	if got, err := ParseToken(""); err != nil || got != (Token{}) {
		t.Errorf("no token: %v, %v", got, err)
	}
	for _, bad := range []Token{{"x", token.Secret, token.Pin}, {RoleOwner, token.Secret[1:], token.Pin}, {RoleOwner, token.Secret, token.Pin[1:]}} {
		if _, err := ParseToken(bad.String()); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
	if _, err := ParseToken(token.String() + "-"); err == nil {
		t.Error("a token of four parts is taken")
	}
}

// TestRights shows what a worker may not do.
func TestRights(t *testing.T) {
	r := WorkerRights("UA")
	for _, may := range []string{"res.*.*.*", "art.UA.*.*", "alive.UA", "$JS.API.DIRECT.GET." + Input} {
		if !slices.Contains(r.Publish, may) {
			t.Errorf("it may not send to %s", may)
		}
	}
	for _, stream := range []string{Res, Art, Dead} {
		if slices.ContainsFunc(r.Publish, func(s string) bool { return strings.Contains(s, "GET."+stream) }) {
			t.Errorf("it may read %s", stream)
		}
	}
	if want := []string{inboxPrefix("UA") + ".>"}; !slices.Equal(r.Subscribe, want) {
		t.Errorf("it may hear %v, want %v", r.Subscribe, want)
	}
}
