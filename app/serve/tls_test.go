//go:build !js

package serve

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/tabula-chess/tabula/test/kit"
)

// writePair writes a certificate that signs itself and its key into files of dir; pool
// trusts it.
func writePair(t *testing.T, dir string, serial int64) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	kit.Succeed(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"board.example", "*.wild.example"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	kit.Succeed(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	kit.Succeed(t, err)
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	pool = x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	for name, data := range map[string][]byte{cert: text, key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})} {
		kit.Write(t, name, data)
	}
	return cert, key, pool
}

// secured serves over TLS and returns the address and a client that trusts it.
func secured(t *testing.T) (address, cert string, client *http.Client) {
	t.Helper()
	cert, key, pool := writePair(t, t.TempDir(), 1)
	address = start(t, func(s *settings) {
		with, err := settingsOf([]string{"--listen", "127.0.0.1:0", "--cert", cert, "--key", key}, func(string) string { return "" })
		kit.Succeed(t, err)
		s.cert, s.hosts = with.cert, with.hosts
	})
	client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true}}
	t.Cleanup(client.CloseIdleConnections)
	return address, cert, client
}

func TestTLS(t *testing.T) {
	address, _, client := secured(t)
	for _, tt := range []struct {
		name, host, origin string
		want               int
	}{
		{"a program", "", "", http.StatusOK},
		{"the page", "", "https://" + address, http.StatusOK},
		{"the page without TLS", "", "http://" + address, http.StatusForbidden},
		{"a name of the certificate", "board.example", "https://board.example", http.StatusOK},
		{"a name under its star", "other.wild.example", "", http.StatusMisdirectedRequest},
		{"another name", "evil.example", "", http.StatusMisdirectedRequest},
	} {
		r, err := http.NewRequestWithContext(t.Context(), "POST", "https://"+address+"/api/hello", nil)
		kit.Succeed(t, err)
		r.Header.Set("Content-Type", "application/json")
		if tt.origin != "" {
			r.Header.Set("Origin", tt.origin)
		}
		r.Host = tt.host
		answer, err := client.Do(r)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != tt.want || answer.ProtoMajor != 1 {
			t.Errorf("%s: status %d by %s, want %d by HTTP/1.1", tt.name, answer.StatusCode, answer.Proto, tt.want)
		}
	}
	conn, _, err := websocket.Dial(t.Context(), "wss://"+address+"/api/socket", &websocket.DialOptions{HTTPClient: client, HTTPHeader: http.Header{"Origin": {"https://" + address}}})
	kit.Succeed(t, err)
	defer conn.CloseNow()
	kit.Succeed(t, send(t.Context(), conn, `{"id":1,"do":"analyse","limits":{"depth":3}}`))
	if m, err := final(t.Context(), conn); err != nil || m.Result == nil {
		t.Errorf("by wss: %+v, %v", m, err)
	}
}

// TestTLSRenewed replaces the files of the certificate while the server runs: first one of
// them, which changes nothing, then the other one.
func TestTLSRenewed(t *testing.T) {
	address, cert, _ := secured(t)
	renewed, key, _ := writePair(t, t.TempDir(), 2)
	later := time.Now()
	for i, step := range []struct{ from, to string }{{renewed, cert}, {key, filepath.Join(filepath.Dir(cert), "key.pem")}} {
		data := kit.Read(t, step.from)
		later = later.Add(time.Minute)
		kit.Succeed(t, errors.Join(os.WriteFile(step.to, data, 0o600), os.Chtimes(step.to, later, later)))
		conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
		kit.Succeed(t, err)
		if got := conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64(); got != int64(i+1) {
			t.Errorf("after file %d: certificate %d", i+1, got)
		}
		_ = conn.Close()
	}
}

// TestCertificateErrors names the field that is wrong.
func TestCertificateErrors(t *testing.T) {
	cert, key, _ := writePair(t, t.TempDir(), 1)
	_, otherKey, _ := writePair(t, t.TempDir(), 2)
	broken := filepath.Join(t.TempDir(), "broken.pem")
	kit.Write(t, broken, []byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"))
	for _, tt := range []struct{ cert, key, want string }{
		{cert, "", "--cert needs --key"},
		{"", key, "--key needs --cert"},
		{"missing.pem", key, "open missing.pem"},
		{cert, "missing.pem", "open missing.pem"},
		{key, cert, "--cert " + key},
		{broken, key, "--cert " + broken},
		{cert, otherKey, "--key " + otherKey + ": tls: private key does not match"},
		{cert, key, ""},
	} {
		_, err := settingsOf([]string{"--cert", tt.cert, "--key", tt.key}, func(string) string { return "" })
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("--cert %s --key %s: %v, want %q", tt.cert, tt.key, err, tt.want)
		}
	}
	if _, err := settingsOf([]string{"--listen", "0.0.0.0:0", "--cert", cert, "--key", key}, func(string) string { return "" }); err == nil || !strings.Contains(err.Error(), "--token") {
		t.Errorf("TLS beyond this machine without a token: %v", err)
	}
}
