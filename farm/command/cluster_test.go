package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/internal/tool"
	"github.com/tabula-chess/tabula/tabula-farm/coordinator"
	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run/runtest"
)

// serverProcess is a NATS server with a configuration, that is no hub, until it is
// killed.
func serverProcess() error {
	o, err := server.ProcessConfigFile(os.Getenv(dirVariable))
	if err != nil {
		return err
	}
	o.NoSigs = true
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	s.SetLoggerV2(quiet{}, false, false, false)
	s.Start()
	fmt.Println(s.Addr())
	s.WaitForShutdown()
	return nil
}

// quiet is a server's log that tells what is wrong where a test's log is wanted.
type quiet struct{}

func (quiet) Noticef(string, ...any)         {}
func (quiet) Debugf(string, ...any)          {}
func (quiet) Tracef(string, ...any)          {}
func (quiet) Warnf(format string, v ...any)  { testLog().Warn(fmt.Sprintf(format, v...)) }
func (quiet) Errorf(format string, v ...any) { testLog().Error(fmt.Sprintf(format, v...)) }
func (quiet) Fatalf(format string, v ...any) { testLog().Error(fmt.Sprintf(format, v...)) }

// cluster is three NATS servers, as a company runs them: with an operator,
// accounts, and users that come in by credentials.
type cluster struct {
	t       *testing.T
	configs []string
	servers []*process
	urls    []string
	creds   string
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	dir := t.TempDir()
	c := &cluster{t: t, creds: filepath.Join(dir, "user.creds"), servers: make([]*process, 3)}
	common := c.authority()
	client, route := ports(t, 3), ports(t, 3)
	var routes []string
	for n := range 3 {
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", route[n]))
		c.urls = append(c.urls, fmt.Sprintf("nats://127.0.0.1:%d", client[n]))
	}
	for n := range 3 {
		name := filepath.Join(dir, fmt.Sprintf("n%d.conf", n))
		text := fmt.Sprintf(`server_name: n%d
listen: 127.0.0.1:%d
jetstream: { store_dir: %q, max_mem: 256M, max_file: 1G }
cluster: { name: farm, listen: 127.0.0.1:%d, routes: [ %s ] }
%s`, n, client[n], filepath.Join(dir, fmt.Sprint("n", n)), route[n], strings.Join(routes, ", "), common)
		filestest.Write(t, name, []byte(text))
		c.configs = append(c.configs, name)
		c.start(n)
	}
	t.Cleanup(func() {
		for n := range c.servers {
			c.servers[n].kill()
		}
	})
	c.ready()
	return c
}

// ready waits until the servers have found each other and keep streams.
func (c *cluster) ready() {
	c.t.Helper()
	owner, err := link.Dial(c.t.Context(), link.Options{URL: c.url(), Key: c.key(), Log: testLog()}, time.Minute)
	must.Succeed(c.t, err)
	defer owner.Close()
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		if err = owner.Ensure(c.t.Context()); err == nil {
			return
		}
		if time.Since(began) > 3*time.Minute {
			c.t.Fatal(err)
		}
	}
}

// nextPort is where ports looks on.
var nextPort = func() *atomic.Int32 {
	var n atomic.Int32
	n.Store(rand.Int32N(20000))
	return &n
}()

// ports returns ports that are free, and stay so until what listens there is
// started, or started again: they are not among those that the system gives to who
// asks for any.
func ports(t testing.TB, n int) (all []int) {
	t.Helper()
	for tries := 0; len(all) < n; tries++ {
		port := 10000 + int(uint32(nextPort.Add(1))%20000)
		l, err := net.Listen("tcp", fmt.Sprintf(":%d", port))
		if err != nil {
			if tries > 1000 {
				t.Fatal(err)
			}
			continue
		}
		l.Close()
		all = append(all, port)
	}
	return all
}

// loopback returns an address of this machine for a hub that is started again.
func loopback(t testing.TB) string {
	t.Helper()
	return fmt.Sprintf("127.0.0.1:%d", ports(t, 1)[0])
}

func (c *cluster) key() link.Key {
	c.t.Helper()
	k, err := link.ReadKey(c.creds)
	must.Succeed(c.t, err)
	return k
}

// start starts a server, again if it was killed.
func (c *cluster) start(n int) { c.servers[n] = start(c.t, "nats", c.configs[n], "") }

func (c *cluster) url() string { return strings.Join(c.urls, ",") }

// authority writes the credentials of a user and returns the part of a server's
// configuration that knows them.
func (c *cluster) authority() string {
	c.t.Helper()
	pair := func(make func() (nkeys.KeyPair, error)) (nkeys.KeyPair, string) {
		key, err := make()
		must.Succeed(c.t, err)
		public, err := key.PublicKey()
		must.Succeed(c.t, err)
		return key, public
	}
	encode := func(claims jwt.Claims, key nkeys.KeyPair) string {
		text, err := claims.Encode(key)
		must.Succeed(c.t, err)
		return text
	}
	operator, operatorKey := pair(nkeys.CreateOperator)
	_, systemKey := pair(nkeys.CreateAccount)
	account, accountKey := pair(nkeys.CreateAccount)
	user, userKey := pair(nkeys.CreateUser)
	claims := jwt.NewAccountClaims(accountKey)
	claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
	of := jwt.NewUserClaims(userKey)
	of.IssuerAccount = ""
	seed, err := user.Seed()
	must.Succeed(c.t, err)
	text, err := jwt.FormatUserConfig(encode(of, account), seed)
	if err == nil {
		err = os.WriteFile(c.creds, text, 0o600)
	}
	must.Succeed(c.t, err)
	return fmt.Sprintf("operator: %s\nresolver: MEMORY\nsystem_account: %s\nresolver_preload: {\n%s: %s\n%s: %s\n}\n",
		encode(jwt.NewOperatorClaims(operatorKey), operator), systemKey,
		systemKey, encode(jwt.NewAccountClaims(systemKey), operator), accountKey, encode(claims, operator))
}

// leader returns the number of the server that leads a stream.
func (c *cluster) leader(ctx context.Context, conn *link.Conn, stream string) (n int, err error) {
	err = conn.Insist(ctx, insistence, func(ctx context.Context) error {
		return conn.Ask(ctx, func(ctx context.Context) error {
			s, err := conn.JS.Stream(ctx, stream)
			if err != nil {
				return err
			}
			at := s.CachedInfo().Cluster
			if at == nil || len(at.Replicas) != 2 {
				return fmt.Errorf("stream %s is not kept by three servers: %+v", stream, at)
			}
			_, err = fmt.Sscanf(at.Leader, "n%d", &n)
			return err
		})
	})
	return n, err
}

// TestCluster carries a run out on a cluster of three NATS servers, by credentials,
// and kills the one that leads the queue or the results, again and again where a
// long test is asked for.
func TestCluster(t *testing.T) {
	t.Parallel()
	during := onDemand(t)
	c := newCluster(t)
	f := farmAt(t, t.TempDir(), strings.TrimPrefix(c.url(), "nats://"))
	f.key, f.works = c.key(), c.key()
	owner, err := link.Dial(f.ctx, link.Options{URL: c.url(), Key: c.key(), Log: f.log}, time.Minute)
	must.Succeed(t, err)
	t.Cleanup(owner.Close)
	must.Succeed(t, owner.Insist(f.ctx, insistence, owner.Ensure))
	f.done.Go(func() {
		_ = coordinator.Serve(f.ctx, owner, coordinator.Config{Open: runtest.OpenToy, Times: fast(), Log: f.log}, nil)
	})
	for range 3 {
		f.worker(1, nil)
	}
	killed := make(chan int)
	go func() {
		kills := 0
		for began := time.Now(); kills == 0 || time.Since(began) < during && f.ctx.Err() == nil; kills++ {
			time.Sleep(1500 * time.Millisecond)
			n, err := c.leader(f.ctx, owner, []string{link.Res, link.State}[kills%2])
			if err != nil {
				t.Error(err)
				break
			}
			c.servers[n].kill()
			time.Sleep(3 * time.Second)
			c.start(n)
		}
		killed <- kills
	}()
	m := runtest.NewToy(t, int((during+4*time.Second)/(50*time.Millisecond)), 1, runtest.Toy{Copies: 2, Sleep: 40 * time.Millisecond, File: 2000})
	f.comes(m)
	t.Logf("%d jobs, %d kills", m.Jobs, <-killed)
}

// TestClusterCommands gives the commands for a cluster: a worker and a count.
func TestClusterCommands(t *testing.T) {
	t.Parallel()
	onDemand(t)
	c := newCluster(t)
	ctx, stop := context.WithCancel(context.Background())
	worked := make(chan int, 3)
	go func() {
		worked <- tool.Run(ctx, New(io.Discard, io.Discard), []string{"farm", "hub", "--hub", c.url(), "--key", c.creds, "--dir", t.TempDir(), "--http", ""})
	}()
	dir := t.TempDir()
	for range 2 {
		go func() {
			worked <- tool.Run(ctx, New(io.Discard, io.Discard), []string{"farm", "work", "--hub", c.url(), "--key", c.creds, "--dir", dir, "--cores", "1"})
		}()
	}
	var out, errOut bytes.Buffer
	code := tool.Run(ctx, New(&out, &errOut), []string{"farm", "perft", "--hub", c.url(), "--key", c.creds, "--dir", t.TempDir(), "--depth", "4"})
	if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); code != command.Done || lines[len(lines)-1] != "197281" {
		t.Errorf("exit code %d\n%s%s", code, &out, &errOut)
	}
	stop()
	for range 3 {
		if code := <-worked; code != command.Interrupted && code != command.Done {
			t.Errorf("a worker ends with %d", code)
		}
	}
}
