package command

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/farm/hub"
)

// insideVariable marks the process of a test that has a network of its own.
const insideVariable = "TABULA_FARM_TEST_INSIDE"

// network is a switch with hosts, each a network namespace with a cable to it. The
// test is at the switch.
type network struct {
	t     *testing.T
	dir   string
	hosts map[string]string // addresses by name
	hub   string            // HOST:PORT, once it is known
	key   string            // file of the workers' key

	mu        sync.Mutex
	processes map[string]*process
}

// ip runs the program that says what the network is like.
func (n *network) ip(args string) {
	n.t.Helper()
	if out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput(); err != nil {
		n.t.Errorf("ip %s: %v: %s", args, err, out)
	}
}

// newNetwork lays a network in the namespace of this process.
func newNetwork(t *testing.T) *network {
	t.Helper()
	n := &network{t: t, dir: t.TempDir(), processes: map[string]*process{}}
	// Names of namespaces are files, which nobody else shall see.
	err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "")
	if err == nil {
		err = os.MkdirAll("/run/netns", 0o755)
	}
	if err == nil {
		err = syscall.Mount("none", "/run/netns", "tmpfs", 0, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	n.hosts = map[string]string{"hub": "10.77.0.1", "near": "10.77.0.2", "far": "10.77.0.3"}
	n.ip("link set lo up")
	if out, err := exec.Command("ip", "link", "add", "switch", "type", "bridge").CombinedOutput(); err != nil {
		t.Skipf("this kernel has no switch: %s", out)
	}
	n.ip("address add 10.77.0.254/24 dev switch")
	n.ip("link set switch up")
	for host, addr := range n.hosts {
		n.ip("netns add " + host)
		n.ip(fmt.Sprintf("link add to-%s type veth peer name eth0 netns %s", host, host))
		n.ip(fmt.Sprintf("link set to-%s master switch up", host))
		n.ip(fmt.Sprintf("-n %s address add %s/24 dev eth0", host, addr))
		n.ip(fmt.Sprintf("-n %s link set eth0 up", host))
		n.ip(fmt.Sprintf("-n %s link set lo up", host))
	}
	n.start("hub")
	t.Cleanup(func() {
		for _, p := range n.processes {
			p.kill()
		}
	})
	return n
}

// start starts the hub or a worker on its host, again if it is there.
func (n *network) start(host string) {
	n.t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	if p := n.processes[host]; p != nil {
		p.kill()
	}
	if host != "hub" {
		n.processes[host] = startOn(n.t, host, "work", filepath.Join(n.dir, host), n.hub, keyVariable+"="+n.key)
		return
	}
	if n.hub == "" {
		n.hub = n.hosts["hub"] + ":0"
	}
	n.processes[host] = startOn(n.t, host, "hub", filepath.Join(n.dir, "hub"), n.hub)
	n.hub = n.processes[host].addr
}

// cut pulls a host's cable for a while: what was sent is lost, nothing is closed.
func (n *network) cut(host string, while time.Duration) {
	n.ip(fmt.Sprintf("link set to-%s down", host))
	time.Sleep(while)
	n.ip(fmt.Sprintf("link set to-%s up", host))
}

// namespaceFaults are what happens to a network, for about as long as is said.
func namespaceFaults() map[string]func(n *network, during time.Duration) {
	return map[string]func(*network, time.Duration){
		"worker": func(n *network, during time.Duration) { n.cut("far", during) },
		"hub":    func(n *network, during time.Duration) { n.cut("hub", during) },
		"storm": func(n *network, during time.Duration) {
			r := rand.New(rand.NewPCG(3, 4))
			for began := time.Now(); time.Since(began) < during; {
				host := []string{"hub", "near", "far"}[r.IntN(3)]
				if r.IntN(2) == 0 {
					n.start(host)
				} else {
					n.cut(host, time.Duration(r.IntN(2000))*time.Millisecond)
				}
				time.Sleep(time.Duration(300+r.IntN(900)) * time.Millisecond)
			}
		},
	}
}

// TestNetworkNamespaces runs a hub and two workers on hosts of their own, network
// namespaces with cables between them, over TLS: a worker is cut off, the hub is,
// or cables are pulled and processes killed at random. The run comes to what one
// process alone makes of it. Each part has a network of its own, that ends with it.
func TestNetworkNamespaces(t *testing.T) {
	onDemand(t)
	if _, err := exec.LookPath("ip"); err != nil || os.Getuid() != 0 {
		t.Skip("needs root, and ip of iproute2")
	}
	t.Parallel()
	for name, fault := range namespaceFaults() {
		t.Run(name, func(t *testing.T) {
			if os.Getenv(insideVariable) != "" {
				partitioned(t, fault)
				return
			}
			t.Parallel()
			c := exec.Command(os.Args[0], "-test.v", "-test.timeout=30m", "-test.run=^TestNetworkNamespaces$/^"+name+"$")
			c.Env = append(os.Environ(), insideVariable+"=1")
			c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
			out, err := c.CombinedOutput()
			if exited := c.ProcessState; err != nil && exited == nil {
				t.Skip("no namespaces here: ", err)
			}
			if t.Logf("%s", out); err != nil {
				t.Error(err)
			}
		})
	}
}

// partitioned carries a run out while something happens to the network.
func partitioned(t *testing.T, fault func(*network, time.Duration)) {
	n := newNetwork(t)
	if t.Failed() {
		t.FailNow()
	}
	during := onDemand(t)
	f := farmAt(t, n.dir, n.hub)
	n.key = f.enrol(hub.OwnKey(filepath.Join(n.dir, "hub")))
	n.start("near")
	n.start("far")
	over := make(chan struct{})
	go func() {
		defer close(over)
		time.Sleep(2 * time.Second)
		fault(n, during)
	}()
	m := toyManifest(t, int((during+5*time.Second)/(50*time.Millisecond)), toyParams{Sleep: 50 * time.Millisecond, File: 2000})
	f.comes(m)
	<-over
}
