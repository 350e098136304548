//go:build endpoints

package peer

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestServers plays all cases against the server of each language, over each of its transports.
// Cases of silence take as long as the protocol's limits, and are played over unix sockets.
func TestServers(t *testing.T) {
	files, roots := certificates(t)
	for _, program := range Languages {
		for _, scheme := range program.Transports {
			t.Run(program.Name+" over "+scheme, func(t *testing.T) {
				t.Parallel()
				at := started(t, filepath.Join("../..", program.Program), scheme, files)
				results := Servers(at, roots, selection(scheme))
				text, passed := Report(results)
				if passed < len(results) || passed < 200 {
					t.Errorf("%s%d of %d cases passed", text, passed, len(results))
				}
			})
		}
	}
}

// TestClients plays all cases against the client of each language, over each of its transports.
func TestClients(t *testing.T) {
	files, _ := certificates(t)
	pair, err := tls.LoadX509KeyPair(files[0], files[1])
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range Languages {
		for _, scheme := range program.Transports {
			t.Run(program.Name+" over "+scheme, func(t *testing.T) {
				t.Parallel()
				command := exec.Command(filepath.Join("../..", program.Program), "scripts")
				command.Env = append(os.Environ(), "MXP_DEMO_AUTHORITY="+files[2])
				command.Stderr = os.Stderr
				running, err := StartProgram(command, &tls.Config{Certificates: []tls.Certificate{pair}})
				if err != nil {
					t.Fatalf("%v: make it first, as `go run ./tools/dev test endpoints` does", err)
				}
				results := Clients(running, scheme, selection(scheme))
				text, passed := Report(results)
				if passed < len(results) || passed < 130 {
					t.Errorf("%s%d of %d cases passed", text, passed, len(results))
				}
				if err := running.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// selection are the cases of a transport: cases of silence are played over unix sockets alone.
func selection(scheme string) Selection {
	selected := Selection{Together: 16}
	if scheme != "unix" {
		selected.Names = regexp.MustCompile("^([^s]|s[^i])") // without silence
	}
	return selected
}

// started is the address of a program that serves.
func started(t *testing.T, program, scheme string, files []string) Address {
	t.Helper()
	folder, err := os.MkdirTemp("", "peer") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	place := filepath.Join(folder, "s")
	if scheme != "unix" && scheme != "shm" {
		place = fmt.Sprintf("127.0.0.1:%d", freePort(t))
	}
	at := Address{scheme, place}
	if at.isWeb() {
		at.Place += "/"
	}
	command := exec.Command(program, "serve", at.String())
	command.Env = append(os.Environ(), "MXP_DEMO_CERTIFICATE="+files[0], "MXP_DEMO_KEY="+files[1])
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatalf("%v: make it first, as `go run ./tools/dev test endpoints` does", err)
	}
	t.Cleanup(func() {
		command.Process.Signal(syscall.SIGTERM)
		command.Wait()
	})
	if line, err := bufio.NewReader(output).ReadString('\n'); !strings.HasPrefix(line, "serving ") {
		t.Fatalf("it says %q (%v)", line, err)
	}
	return at
}

func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// certificates are the files of a server's certificate and key, and of its signer's, who is a root.
func certificates(t *testing.T) (files []string, roots *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	server := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "server"}, NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	signed, err := x509.CreateCertificate(rand.Reader, authority, authority, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	made, err := x509.CreateCertificate(rand.Reader, server, authority, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, one := range []struct {
		name, kind string
		data       []byte
	}{{"server.pem", "CERTIFICATE", made}, {"server.key", "PRIVATE KEY", private}, {"authority.pem", "CERTIFICATE", signed}} {
		name := filepath.Join(folder, one.name)
		if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: one.kind, Bytes: one.data}), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, name)
	}
	roots = x509.NewCertPool()
	found, err := x509.ParseCertificate(signed)
	if err != nil {
		t.Fatal(err)
	}
	roots.AddCert(found)
	return files, roots
}
