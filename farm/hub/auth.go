package hub

import (
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
	"errors"
	"math/big"
	"net"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/tabula-chess/tabula/tabula-farm/link"
)

// guard decides who comes in, and as what.
type guard struct {
	tls *tls.Config // nil on loopback
	own link.Key    // of the farm's owner; zero on loopback

	mu      sync.Mutex
	workers map[string]bool // public keys
}

// Check lets a client in, by the rights of its role. It shows a key, and proves that it
// has it by signing what the server asks; on loopback an owner needs none, and any key is
// a worker's. It makes guard a server.Authentication.
func (g *guard) Check(c server.ClientAuthentication) bool {
	o := c.GetOpts()
	role := link.RoleOwner
	if o.Nkey != "" || g.tls != nil {
		if !signed(o.Nkey, c.GetNonce(), o.Sig) {
			return false
		}
		if role = g.role(o.Nkey); role == "" {
			return false
		}
	}
	user := &server.User{Username: role}
	if role == link.RoleWorker {
		rights := link.WorkerRights(o.Nkey)
		user.Permissions = &server.Permissions{
			Publish:   &server.SubjectPermission{Allow: rights.Publish, Deny: rights.Deny},
			Subscribe: &server.SubjectPermission{Allow: rights.Subscribe},
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

// role returns what a key makes its holder, "" for one that is not let in.
func (g *guard) role(public string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	own, err := g.public()
	switch {
	case g.tls == nil || g.workers[public]:
		return link.RoleWorker
	case err == nil && public == own:
		return link.RoleOwner
	}
	return ""
}

// enrol lets a worker's key in.
func (g *guard) enrol(k link.Enrolled) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.workers[k.Key] = true
}

// public returns the public key of the farm's owner.
func (g *guard) public() (string, error) {
	if g.own.Pair == nil {
		return "", errors.New("a hub on loopback has no owner's key")
	}
	return g.own.Pair.PublicKey()
}

// arm gives the guard the secrets of a directory, which it makes if there are none.
func (g *guard) arm(dir string) error {
	cert, err := certificate(filepath.Join(dir, "hub.pem"))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(cert.Certificate[0])
	if g.own, err = link.OwnKey(OwnKey(dir), link.RoleOwner, hex.EncodeToString(sum[:])); err != nil {
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
	text, err := link.Secret(name, func() ([]byte, error) {
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
