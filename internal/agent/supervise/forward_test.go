package supervise

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

func TestParseRoute(t *testing.T) {
	for _, test := range []struct {
		text string
		want Route
		ok   bool
	}{
		{":10203=127.0.1.1:10204", Route{":10203", "127.0.1.1:10204"}, true},
		{"127.0.1.2:10204=notary-1.net:10203", Route{"127.0.1.2:10204", "notary-1.net:10203"}, true},
		{":10203", Route{}, false},
		{":10203=notary-1", Route{}, false},
		{"=notary-1:10203", Route{}, false},
		{":=notary-1:10203", Route{}, false},
	} {
		t.Run(test.text, func(t *testing.T) {
			got, err := ParseRoute(test.text)
			if got != test.want || (err == nil) != test.ok {
				t.Errorf("ParseRoute = %v, %v", got, err)
			}
			if err != nil && !strings.Contains(err.Error(), "LISTEN=TARGET") {
				t.Errorf("the error does not say what is right: %v", err)
			}
		})
	}
}

// TestServe checks that both directions pass all bytes and that each ends when its sender does.
func TestServe(t *testing.T) {
	target := listen(t)
	go func() {
		c, err := target.Accept()
		if err != nil {
			return
		}
		_, _ = io.Copy(c, c)
		_ = c.Close()
	}()
	c := dial(t, serve(t, target.Addr().String()))
	sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	go func() {
		_, _ = c.Write(sent)
		_ = c.(*net.TCPConn).CloseWrite()
	}()
	got, err := io.ReadAll(c)
	if err != nil || !bytes.Equal(got, sent) {
		t.Errorf("got %d of %d bytes back: %v", len(got), len(sent), err)
	}
}

// TestClosesConnections checks that a client notices a target that is down, or that ends a connection.
func TestClosesConnections(t *testing.T) {
	target := listen(t)
	address := serve(t, target.Addr().String())
	c := dial(t, address)
	accepted, err := target.Accept()
	if err != nil {
		t.Fatal(err)
	}
	_ = accepted.(*net.TCPConn).SetLinger(0)
	_ = accepted.Close()
	expectEnd(t, c)
	_ = target.Close()
	expectEnd(t, dial(t, address))
}

func TestServeAddressInUse(t *testing.T) {
	used := listen(t).Addr().String()
	if _, err := (Route{Listen: used, Target: used}).Serve(); err == nil || !strings.Contains(err.Error(), used) {
		t.Errorf("the error should name %s: %v", used, err)
	}
}

func serve(t *testing.T, target string) string {
	t.Helper()
	listener, err := Route{Listen: "127.0.0.1:0", Target: target}.Serve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String()
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func expectEnd(t *testing.T, c net.Conn) {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection is still open: %v", err)
	}
}
