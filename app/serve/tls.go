//go:build !js && !wasip1

package serve

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// certificate holds the contents of the files of --cert and --key. It reads them again when they
// change, so that a renewal needs no restart; the host names of the server do not change.
type certificate struct {
	cert, key string
	lock      sync.Mutex
	pair      *tls.Certificate
	seen      [2]time.Time // when the files were last changed
}

// newCertificate reads the files for the first time.
func newCertificate(cert, key string) (*certificate, error) {
	seen := changed(cert, key)
	pair, err := readCertificate(cert, key)
	return &certificate{cert: cert, key: key, pair: pair, seen: seen}, err
}

// get returns the certificate for a connection. If the files do not match, as in the middle of a
// renewal, it returns the previous certificate.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if seen := changed(c.cert, c.key); seen != c.seen {
		if pair, err := readCertificate(c.cert, c.key); err == nil {
			c.pair, c.seen = pair, seen
		}
	}
	return c.pair, nil
}

// changed returns when each file was last changed; the zero time for a missing file.
func changed(names ...string) (times [2]time.Time) {
	for i, name := range names {
		if info, err := os.Stat(name); err == nil {
			times[i] = info.ModTime()
		}
	}
	return times
}

// readCertificate reads the PEM files of --cert and --key. Errors name the flag.
func readCertificate(cert, key string) (*tls.Certificate, error) {
	switch {
	case cert == "":
		return nil, errors.New("--key needs --cert, its certificate")
	case key == "":
		return nil, errors.New("--cert needs --key, the private key of the certificate")
	}
	certPEM, err := os.ReadFile(cert)
	if err != nil {
		return nil, fmt.Errorf("--cert: %w", err)
	}
	leaf, err := firstCertificate(certPEM)
	if err != nil {
		return nil, fmt.Errorf("--cert %s: %w", cert, err)
	}
	keyPEM, err := os.ReadFile(key)
	if err != nil {
		return nil, fmt.Errorf("--key: %w", err)
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, fmt.Errorf("--key %s: %s", key, strings.TrimPrefix(err.Error(), "tls: "))
	}
	pair.Leaf = leaf
	return &pair, nil
}

// firstCertificate returns the first certificate of a PEM text, which is the server's own. The
// certificates of its issuers follow.
func firstCertificate(text []byte) (*x509.Certificate, error) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "CERTIFICATE" {
			return x509.ParseCertificate(block.Bytes)
		}
	}
	return nil, errors.New("it contains no PEM certificate")
}

// namesOf returns the host names of a certificate. These need no --host: a browser has verified the
// certificate, so DNS rebinding is impossible with such a name. Names with a * do need --host.
func namesOf(cert *tls.Certificate) (names []string) {
	for _, name := range cert.Leaf.DNSNames {
		if !strings.Contains(name, "*") {
			names = append(names, name)
		}
	}
	return names
}
