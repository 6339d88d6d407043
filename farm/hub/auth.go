package hub

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
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
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/internal/files"
)

// guard decides who comes in, and as what.
type guard struct {
	tokens map[string]string // role by secret; nil on loopback
	tls    *tls.Config       // nil on loopback
	pin    string

	mu     sync.Mutex
	banned map[string]string
}

// Check lets a client in, by the rights of its role. A worker shows a key of its
// own, and signs what the server asks. It makes guard a server.Authentication.
func (g *guard) Check(c server.ClientAuthentication) bool {
	o := c.GetOpts()
	role := link.RoleOwner
	if o.Nkey != "" {
		if !signed(o.Nkey, c.GetNonce(), o.Sig) || g.isBanned(o.Nkey) {
			return false
		}
		role = link.RoleWorker
	}
	if g.tokens != nil {
		granted := g.role(o.Token)
		if granted == "" || o.Nkey == "" {
			return false // beyond loopback both are needed, and TLS is
		}
		role = granted
	}
	user := &server.User{Username: role}
	if role == link.RoleWorker {
		rights := link.WorkerRights(o.Nkey)
		user.Permissions = &server.Permissions{
			Publish:   &server.SubjectPermission{Allow: rights.Publish},
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

// role returns what a secret makes its holder, "" for nothing.
func (g *guard) role(secret string) (role string) {
	for s, r := range g.tokens {
		if subtle.ConstantTimeCompare([]byte(s), []byte(secret)) == 1 {
			role = r
		}
	}
	return role
}

// ban keeps workers out from now on.
func (g *guard) ban(workers map[string]string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.banned = workers
}

func (g *guard) isBanned(key string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, ok := g.banned[key]
	return ok
}

// arm gives the guard the secrets of a directory, which it makes where there
// are none.
func (g *guard) arm(dir string) (err error) {
	cert, err := certificate(filepath.Join(dir, "hub.pem"))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(cert.Certificate[0])
	g.pin = hex.EncodeToString(sum[:])
	g.tls = &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert}}
	g.tokens = map[string]string{}
	for _, role := range []string{link.RoleWorker, link.RoleOwner} {
		t, err := token(TokenFile(dir, role), role, g.pin)
		if err != nil {
			return err
		}
		g.tokens[t.Secret] = role
	}
	return nil
}

// TokenFile returns the file in a hub's directory that holds the token of a role.
func TokenFile(dir, role string) string { return filepath.Join(dir, role+".token") }

// token returns the token of a file, or makes one.
func token(name, role, pin string) (t link.Token, err error) {
	if text, err := os.ReadFile(name); err == nil {
		if t, err = link.ParseToken(string(text)); err == nil && t.Role == role && t.Pin == pin {
			return t, nil
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		return t, err
	}
	secret := make([]byte, 24)
	if _, err := rand.Read(secret); err != nil {
		return t, err
	}
	t = link.Token{Role: role, Secret: hex.EncodeToString(secret), Pin: pin}
	return t, writeSecret(name, []byte(t.String()+"\n"))
}

// writeSecret writes a file that only its owner reads.
func writeSecret(name string, data []byte) error {
	if err := files.Write(name, data); err != nil {
		return err
	}
	return os.Chmod(name, 0o600)
}

// certificate returns the hub's certificate, with its key, or makes one that
// signs itself. Nobody looks at its dates or names; the token names it by its
// hash.
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
