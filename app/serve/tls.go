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
)

// readCertificate reads the PEM files of --cert and --key. Errors name the flag.
func readCertificate(cert, key string) (*tls.Certificate, error) {
	switch {
	case cert == "":
		return nil, errors.New("--key needs --cert, the certificate that it belongs to")
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

// namesOf returns the names that a certificate is for. A browser that calls the server
// by one has made sure of it, so that no stranger's name can have been made to mean
// this machine. Names with a * are left to --host.
func namesOf(cert *tls.Certificate) (names []string) {
	for _, name := range cert.Leaf.DNSNames {
		if !strings.Contains(name, "*") {
			names = append(names, name)
		}
	}
	return names
}
