package node_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/mesh/authority"
	"github.com/serial-data-protocol/sdp/mesh/config"
	"github.com/serial-data-protocol/sdp/mesh/internal/place"
	"github.com/serial-data-protocol/sdp/mesh/internal/port"
	"github.com/serial-data-protocol/sdp/mesh/node"
	"github.com/serial-data-protocol/sdp/mesh/policy"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/mesh"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// desk is an authority, and a node that it has signed.
type desk struct {
	*authority.Authority
	folder string
	tls    string // where programs with certificates connect
}

func founded(t *testing.T) *desk {
	t.Helper()
	folder := t.TempDir()
	a, err := authority.Create(folder, "desk")
	if err != nil {
		t.Fatal(err)
	}
	return &desk{Authority: a, folder: folder}
}

func (d *desk) issue(t *testing.T, r authority.Request) *tls.Certificate {
	t.Helper()
	if r.Lasts == 0 {
		r.Lasts = time.Hour
	}
	if _, err := d.Issue(d.folder, r); err != nil {
		t.Fatal(err)
	}
	c, err := tls.LoadX509KeyPair(d.file(r.Name+".pem"), d.file(r.Name+".key"))
	if err != nil {
		t.Fatal(err)
	}
	return &c
}

func (d *desk) file(name string) string { return filepath.Join(d.folder, name) }

// node starts one that listens for programs with certificates.
func (d *desk) node(t *testing.T, change ...func(*config.Config)) *running {
	t.Helper()
	d.issue(t, authority.Request{Name: "n1", Node: true, Hosts: []string{"127.0.0.1"}})
	d.tls = port.Free(t, 1)[0]
	return start(t, append([]func(*config.Config){func(c *config.Config) {
		c.Listen, c.Certificate, c.Key = d.tls, d.file("n1.pem"), d.file("n1.key")
		c.Authority, c.Revoked = d.file(authority.CertificateFile), d.file(authority.RevokedFile)
	}}, change...)...)
}

// client is one that shows a certificate, or none.
func (d *desk) client(t *testing.T, certificate *tls.Certificate) *mxp.Client {
	t.Helper()
	pool := x509.NewCertPool()
	text, err := os.ReadFile(d.file(authority.CertificateFile))
	if err != nil || !pool.AppendCertsFromPEM(text) {
		t.Fatal(err)
	}
	options := &tls.Config{RootCAs: pool}
	if certificate != nil {
		options.Certificates = []tls.Certificate{*certificate}
	}
	client, err := mxp.Dial("mxp+tls://"+d.tls, mxp.ClientOptions{TLS: options})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// [MESH-6.2]
func TestOnlyCertificatesOfTheAuthorityAreLetIn(t *testing.T) {
	d, stranger := founded(t), founded(t)
	n := d.node(t)
	good := d.client(t, d.issue(t, authority.Request{Name: "mixer"}))
	if _, err := good.RegisterBy(soon(t), &mixer); err != nil {
		t.Fatalf("a good certificate: %v", err)
	}
	lost := d.issue(t, authority.Request{Name: "lost"})
	if _, err := d.client(t, lost).Discover(soon(t), ""); err != nil {
		t.Fatalf("one that is not revoked yet: %v", err)
	}
	if _, err := d.Revoke("lost"); err != nil {
		t.Fatal(err)
	}
	n.Reload()
	for name, certificate := range map[string]*tls.Certificate{
		"missing": nil,
		"expired": d.issue(t, authority.Request{Name: "old", Lasts: -time.Second}),
		"unknown": stranger.issue(t, authority.Request{Name: "mixer"}),
		"revoked": lost,
		"uid:0":   d.issue(t, authority.Request{Name: "root", URIs: []string{"uid:0"}}),
		"a SID":   d.issue(t, authority.Request{Name: "system", URIs: []string{"sid:S-1-5-18"}}),
	} {
		client := d.client(t, certificate)
		ctx, cancel := contextOf(2 * time.Second)
		if found, err := client.Discover(ctx, ""); err == nil {
			t.Errorf("%s: it is let in, and finds %v", name, found)
		}
		cancel()
	}
	if found, err := good.Discover(soon(t), ""); err != nil || len(found) != 1 {
		t.Errorf("the good one finds %v, %v", found, err)
	}
}

// [MESH-6.1, MESH-6.3]
func TestAForeignIdentityIsDeniedByThePolicy(t *testing.T) {
	d := founded(t)
	file := d.file("policy.toml")
	grants := `
[[grant]]
identities = ["mixer"]
register = ["mixer*"]
publish = ["desk.Mixer"]

[[grant]]
identities = ["urn:desk:*"]
register = ["meter"]
subscribe = ["desk.Mixer/7"]
`
	if err := os.WriteFile(file, []byte(grants), 0o600); err != nil {
		t.Fatal(err)
	}
	n := d.node(t, func(c *config.Config) { c.Policy = file })
	own := d.client(t, d.issue(t, authority.Request{Name: "mixer"}))
	foreign := d.client(t, d.issue(t, authority.Request{Name: "meter", URIs: []string{"urn:desk:meter"}}))
	_, err := foreign.RegisterBy(soon(t), &mixer)
	refused(t, err, session.ErrMeshDenied)
	lease, err := own.RegisterBy(soon(t), &mixer)
	if err != nil {
		t.Fatal(err)
	}
	take := mixer
	take.Epoch = lease.Epoch
	_, err = foreign.RegisterBy(soon(t), &take)
	refused(t, err, session.ErrMeshDenied)
	_, err = mesh.NewMeshClient(foreign).Publish(soon(t), &mesh.Publication{Subject: subject})
	refused(t, err, session.ErrMeshDenied)
	if _, err = mesh.NewMeshClient(own).Publish(soon(t), &mesh.Publication{Subject: subject}); err != nil {
		t.Errorf("what is granted: %v", err)
	}
	_, err = subscribe(t, own, mesh.Subscription{}).Recv()
	refused(t, err, session.ErrMeshDenied)
	_, err = subscribe(t, foreign, mesh.Subscription{Subjects: []mesh.Subject{{Service: "desk.Mixer", Method: 8}}}).Recv()
	refused(t, err, session.ErrMeshDenied)
	local := dial(t, n)
	_, err = local.RegisterBy(soon(t), &session.Registration{Name: "meter", Lease: 30_000_000})
	refused(t, err, session.ErrMeshDenied)

	grants += "\n[[grant]]\nidentities = [\"" + ownUser(t) + "\"]\nregister = [\"meter\"]\n"
	if err := os.WriteFile(file, []byte(grants), 0o600); err != nil {
		t.Fatal(err)
	}
	until(t, "the policy is read anew", func() bool {
		_, err := local.RegisterBy(soon(t), &session.Registration{Name: "meter", Lease: 30_000_000})
		return err == nil
	})
}

// [MESH-2.7]
func TestAnswersHaveTheAddressesThatTheAskerCanReach(t *testing.T) {
	d := founded(t)
	n := d.node(t)
	if _, err := dial(t, n).RegisterBy(soon(t), &mixer); err != nil {
		t.Fatal(err)
	}
	far := d.client(t, d.issue(t, authority.Request{Name: "far"}))
	found, err := far.DiscoverBy(soon(t), &session.Query{Name: "mixer"})
	if err != nil || len(found.Agents) != 1 || len(found.Agents[0].Addresses) != 1 || found.Agents[0].Addresses[0] != "mxp+tls://desk.example:7000" {
		t.Errorf("from another machine it is %+v, %v", found, err)
	}
	near, err := dial(t, n).DiscoverBy(soon(t), &session.Query{Name: "mixer"})
	if err != nil || len(near.Agents[0].Addresses) != len(mixer.Addresses) || near.Version == found.Version {
		t.Errorf("from this machine it is %+v, %v", near, err)
	}
}

// [MESH-1.2]
func TestANodeWithoutCertificatesIsNotReachedByOthers(t *testing.T) {
	for name, change := range map[string]func(*config.Config){
		"listen":  func(c *config.Config) { c.Listen = "0.0.0.0:0" },
		"cluster": func(c *config.Config) { c.Cluster, c.Join = "192.0.2.1:7422", []string{"192.0.2.1:7422"} },
		"join": func(c *config.Config) {
			c.Cluster, c.Join = "127.0.0.1:7422", []string{"127.0.0.1:7422", "desk.example:7422"}
		},
		"cert": func(c *config.Config) { c.Certificate = "n1.pem" },
	} {
		c := config.Default()
		c.Name, c.Data, c.Socket = "n1", t.TempDir(), place.Local(t.TempDir(), "n.sock")
		change(c)
		n, err := node.Start(*c, "test", silent)
		if err == nil {
			n.Shutdown(soon(t))
			t.Errorf("%s: it starts", name)
		}
	}
}

func TestACertificateOfAProgramIsNoNodes(t *testing.T) {
	d := founded(t)
	d.issue(t, authority.Request{Name: "n1", Node: true})
	d.issue(t, authority.Request{Name: "n2", Node: true})
	d.issue(t, authority.Request{Name: "mixer"})
	load := func(name string) *authority.Trust {
		trust, err := authority.Load(authority.Files{Certificate: d.file(name + ".pem"), Key: d.file(name + ".key"), Authority: d.file(authority.CertificateFile), Revoked: d.file(authority.RevokedFile)})
		if err != nil {
			t.Fatal(err)
		}
		return trust
	}
	own := load("n1")
	meet := func(other *authority.Trust) error {
		a, b := net.Pipe()
		defer a.Close()
		defer b.Close()
		go func() {
			tls.Client(b, other.Nodes()).Handshake()
			io.Copy(io.Discard, b)
		}()
		return tls.Server(a, own.Nodes()).Handshake()
	}
	if err := meet(load("n2")); err != nil {
		t.Errorf("another node: %v", err)
	}
	if err := meet(load("mixer")); !errors.Is(err, authority.ErrNoNode) {
		t.Errorf("a program: %v", err)
	}
	other := load("n2")
	if _, err := d.Revoke("n2"); err != nil {
		t.Fatal(err)
	}
	if err := own.Reload(); err != nil {
		t.Fatal(err)
	}
	if err := meet(other); !errors.Is(err, authority.ErrRevoked) {
		t.Errorf("one that is revoked: %v", err)
	}
	if _, err := d.Issue(d.folder, authority.Request{Name: "sly", URIs: []string{"MXP-node:n1"}, Lasts: time.Hour}); err == nil {
		t.Error("a program was given the URI of a node")
	}
}

// ownUser is the identity of the user of the tests.
func ownUser(t *testing.T) string {
	own, err := user.Current()
	switch {
	case err != nil:
		t.Fatal(err)
	case config.HasPipes:
		return policy.LocalSID(own.Uid)
	}
	return "uid:" + own.Uid
}
