//go:build !js && !wasip1

package serve

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"
)

// certificate is the server's, with its key, of two PEM files. It is read again when
// they have changed, as after a renewal: a server need not be started anew for that.
type certificate struct {
	cert, key string // the files

	mu      sync.Mutex
	pair    *tls.Certificate
	changed [2]time.Time // of the files, when they were last looked at
}

// readCertificate reads the files of --cert and --key. Errors name the flag.
func readCertificate(cert, key string) (*certificate, error) {
	switch {
	case cert == "":
		return nil, errors.New("--key needs --cert, the certificate that it belongs to")
	case key == "":
		return nil, errors.New("--cert needs --key, the private key of the certificate")
	}
	c := &certificate{cert: cert, key: key}
	pair, err := c.read()
	if err != nil {
		return nil, err
	}
	c.pair, c.changed = pair, c.times()
	return c, nil
}

// read reads both files.
func (c *certificate) read() (*tls.Certificate, error) {
	certPEM, err := os.ReadFile(c.cert)
	if err != nil {
		return nil, fmt.Errorf("--cert: %w", err)
	}
	leaf, err := firstCertificate(certPEM)
	if err != nil {
		return nil, fmt.Errorf("--cert %s: %w", c.cert, err)
	}
	keyPEM, err := os.ReadFile(c.key)
	if err != nil {
		return nil, fmt.Errorf("--key: %w", err)
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, fmt.Errorf("--key %s: %s", c.key, strings.TrimPrefix(err.Error(), "tls: "))
	}
	pair.Leaf = leaf
	return &pair, nil
}

// firstCertificate returns the first certificate of a PEM text, which is the server's
// own; those of who signed it follow.
func firstCertificate(text []byte) (*x509.Certificate, error) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "CERTIFICATE" {
			return x509.ParseCertificate(block.Bytes)
		}
	}
	return nil, errors.New("there is no certificate in PEM form in it")
}

// times returns when the files were changed, zero where that cannot be known.
func (c *certificate) times() (at [2]time.Time) {
	for i, name := range []string{c.cert, c.key} {
		var info fs.FileInfo
		if info, _ = os.Stat(name); info != nil {
			at[i] = info.ModTime()
		}
	}
	return at
}

// get is for tls.Config. New files that are no pair yet, one being written before the
// other, leave the old pair in place until they change again.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := c.times(); at != c.changed {
		c.changed = at
		if pair, err := c.read(); err == nil {
			c.pair = pair
		}
	}
	return c.pair, nil
}

// config returns how connections are secured. Browsers before TLS 1.2 are refused,
// which is the library's own least.
func (c *certificate) config() *tls.Config {
	return &tls.Config{GetCertificate: c.get, MinVersion: tls.VersionTLS12}
}

// names returns the names that the certificate is for. A browser that calls the server
// by one has made sure of it, so that no stranger's name can have been made to mean
// this machine. Names with a * are left to --host.
func (c *certificate) names() (names []string) {
	for _, name := range c.pair.Leaf.DNSNames {
		if !strings.Contains(name, "*") {
			names = append(names, name)
		}
	}
	return names
}
