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
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/internal/files"
)

// guard decides who comes in, and as what.
type guard struct {
	tls *tls.Config // nil on loopback
	own link.Key    // of the farm's owner; zero on loopback

	mu     sync.Mutex
	roles  map[string]string // by public key
	banned []string
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
	switch {
	case slices.Contains(g.banned, public):
		return ""
	case g.tls == nil:
		return link.RoleWorker
	}
	return g.roles[public]
}

// admit replaces who is let in and who is banned.
func (g *guard) admit(keys []link.Enrolled, bans []link.Ban) {
	roles, banned := map[string]string{}, []string{}
	if public, err := g.public(); err == nil {
		roles[public] = link.RoleOwner
	}
	for _, k := range keys {
		roles[k.Key] = k.Role
	}
	for _, b := range bans {
		banned = append(banned, b.Worker)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.roles, g.banned = roles, banned
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
	if g.own, err = ownKey(OwnKey(dir), hex.EncodeToString(sum[:])); err != nil {
		return err
	}
	g.tls = &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert}}
	g.admit(nil, nil)
	return nil
}

// OwnKey returns the file in a hub's directory that holds the key of the farm's owner.
func OwnKey(dir string) string { return filepath.Join(dir, "own.key") }

// ownKey returns the key of a file, a new one where there is none for that certificate.
func ownKey(name, pin string) (link.Key, error) {
	k, err := link.ReadKey(name)
	if err == nil && k.Role == link.RoleOwner && k.Pin == pin || err != nil && !errors.Is(err, os.ErrNotExist) {
		return k, err
	}
	if k, err = link.NewKey(link.RoleOwner, pin); err != nil {
		return k, err
	}
	text, err := k.Text()
	if err != nil {
		return k, err
	}
	return k, writeSecret(name, text)
}

// writeSecret writes a file that only its owner reads.
func writeSecret(name string, data []byte) error {
	if err := files.Write(name, data); err != nil {
		return err
	}
	return os.Chmod(name, 0o600)
}

// certificate returns the hub's certificate, with its key, or makes one that
// signs itself. Nobody looks at its dates or names; keys name it by its hash.
func certificate(name string) (tls.Certificate, error) {
	if text, err := os.ReadFile(name); err == nil {
		return tls.X509KeyPair(text, text)
	} else if !errors.Is(err, os.ErrNotExist) {
		return tls.Certificate{}, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return tls.Certificate{}, err
	}
	cert, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "Tabula farm hub"},
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, &x509.Certificate{Subject: pkix.Name{CommonName: "Tabula farm hub"}}, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return tls.Certificate{}, err
	}
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...)
	if err := writeSecret(name, text); err != nil {
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
