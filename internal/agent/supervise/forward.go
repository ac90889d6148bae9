package supervise

import (
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// dialTimeout bounds the attempt to reach the target of a connection.
const dialTimeout = 5 * time.Second

// Route is an address to listen on and the target of its connections, each as HOST:PORT.
type Route struct{ Listen, Target string }

// ParseRoute parses LISTEN=TARGET.
func ParseRoute(text string) (Route, error) {
	listen, target, _ := strings.Cut(text, "=")
	for _, address := range []string{listen, target} {
		if _, port, err := net.SplitHostPort(address); err != nil || port == "" {
			return Route{}, fmt.Errorf("%q: must be LISTEN=TARGET, each a HOST:PORT", text)
		}
	}
	return Route{Listen: listen, Target: target}, nil
}

// Serve listens and passes connections on in the background until the listener is closed. It resolves and dials
// the target for each connection, and closes a connection whose target it cannot reach within 5 s.
func (r Route) Serve() (net.Listener, error) {
	listener, err := net.Listen("tcp", r.Listen)
	if err != nil {
		return nil, fmt.Errorf("forward connections: %w", err)
	}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go r.passOn(c)
		}
	}()
	return listener, nil
}

// passOn copies between a connection and a new one to the target until both directions have ended.
func (r Route) passOn(from net.Conn) {
	defer func() { _ = from.Close() }()
	to, err := net.DialTimeout("tcp", r.Target, dialTimeout)
	if err != nil {
		return
	}
	defer func() { _ = to.Close() }()
	done := make(chan struct{})
	go func() {
		copyAndEnd(to, from)
		close(done)
	}()
	copyAndEnd(from, to)
	<-done
}

// copyAndEnd copies until src ends, then ends dst. If either fails, it closes both, so that the other direction ends too.
func copyAndEnd(dst, src net.Conn) {
	_, err := io.Copy(dst, src)
	if err == nil {
		err = dst.(*net.TCPConn).CloseWrite()
	}
	if err != nil {
		_, _ = dst.Close(), src.Close()
	}
}
