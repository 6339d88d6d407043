//go:build !js

package serve

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
)

// getCertificate returns the certificate for a connection.
type getCertificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)

// newCertificate reads the PEM files of --cert and --key, and again for each connection, so that a renewal
// needs no restart; in the middle of one, the first certificate counts. names are the host names of the certificate.
// These need no --host: a browser has verified the certificate, so DNS rebinding is impossible with such a
// name. Names with a * do need --host. Errors name the flags.
func newCertificate(cert, key string) (get getCertificate, names []string, err error) {
	switch {
	case cert == "":
		return nil, nil, errors.New("--key needs --cert, its certificate")
	case key == "":
		return nil, nil, errors.New("--cert needs --key, the private key of the certificate")
	}
	first, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, nil, fmt.Errorf("--cert %s, --key %s: %w", cert, key, err)
	}
	for _, name := range first.Leaf.DNSNames {
		if !strings.Contains(name, "*") {
			names = append(names, name)
		}
	}
	return func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		if now, err := tls.LoadX509KeyPair(cert, key); err == nil {
			return &now, nil
		}
		return &first, nil
	}, names, nil
}
