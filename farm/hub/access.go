package hub

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"math/big"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// access decides who comes in, and as what.
type access struct {
	tls *tls.Config // nil on loopback
	own run.Key     // of the farm's owner; zero on loopback

	mu              sync.Mutex
	owners, workers *server.Account
	enrolled        map[string]bool // public keys
}

// set sets the accounts.
func (g *access) set(owners, workers *server.Account) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.owners, g.workers = owners, workers
}

// Check lets a client in, with the rights of its role. It shows a key, and proves that it
// has it by signing what the server asks; on loopback an owner needs none, and any key is
// a worker's. It makes access a server.Authentication.
func (g *access) Check(c server.ClientAuthentication) bool {
	o := c.GetOpts()
	g.mu.Lock()
	defer g.mu.Unlock()
	user := &server.User{Username: o.Nkey, Account: g.owners}
	if o.Nkey != "" || g.tls != nil {
		if !signed(o.Nkey, c.GetNonce(), o.Sig) {
			return false
		}
		own, err := g.own.Public()
		switch {
		case err == nil && o.Nkey == own:
		case g.tls == nil || g.enrolled[o.Nkey]:
			publish, subscribe := run.WorkerRights(o.Nkey)
			user.Account = g.workers
			user.Permissions = &server.Permissions{
				Publish: &server.SubjectPermission{Allow: []string{publish}}, Subscribe: &server.SubjectPermission{Allow: []string{subscribe}},
			}
		default:
			return false
		}
	}
	c.RegisterUser(user)
	return true
}

// signed reports whether a client has the key that it shows.
func signed(public string, nonce []byte, sig string) bool {
	key, err := nkeys.FromPublicKey(public)
	if err != nil {
		return false
	}
	raw, err := base64.RawURLEncoding.DecodeString(sig)
	return err == nil && key.Verify(nonce, raw) == nil
}

// admit lets in who is enrolled, now and later.
func (g *access) admit(ctx context.Context, c *run.Conn) error {
	w, err := c.Operate.Watch(ctx, "key.>", jetstream.IgnoreDeletes())
	if err != nil {
		return err
	}
	ready := make(chan struct{})
	go func() {
		for e := range w.Updates() {
			if e == nil {
				close(ready)
				continue
			}
			g.mu.Lock()
			g.enrolled[strings.TrimPrefix(e.Key(), "key.")] = true
			g.mu.Unlock()
		}
	}()
	<-ready
	return nil
}

// arm gives the guard the secrets of a directory, which it makes if there are none.
func (g *access) arm(dir string) error {
	cert, err := certificate(filepath.Join(dir, "hub.pem"))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(cert.Certificate[0])
	if g.own, err = run.OwnKey(OwnKey(dir), run.RoleOwner, hex.EncodeToString(sum[:])); err != nil {
		return err
	}
	g.tls = &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert}}
	return nil
}

// OwnKey returns the file in a hub's directory that holds the key of the farm's owner.
func OwnKey(dir string) string { return filepath.Join(dir, "own.key") }

// certificate returns the hub's certificate, with its key, or makes one that
// signs itself. Nobody looks at its dates or names; keys name it by its hash.
func certificate(name string) (tls.Certificate, error) {
	text, err := run.Secret(name, func() ([]byte, error) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, err
		}
		hub := &x509.Certificate{
			SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Tabula farm hub"},
			NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0),
			KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		}
		cert, err := x509.CreateCertificate(rand.Reader, hub, hub, &key.PublicKey, key)
		if err != nil {
			return nil, err
		}
		secret, err := x509.MarshalPKCS8PrivateKey(key)
		return append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
			pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...), err
	})
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(text, text)
}

// isLoopback reports whether only this machine reaches a host.
func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
