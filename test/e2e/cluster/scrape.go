package cluster

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

var forwardingPattern = regexp.MustCompile(`^Forwarding from (127\.0\.0\.1:\d+)`)

// ScrapePod returns the metrics of a pod's port, by kubectl port-forward.
func (n *Namespace) ScrapePod(namespace, pod string, port int) string {
	n.Helper()
	text, err := retryRequest(func() (string, error) {
		ctx, cancel := context.WithTimeout(n.Context(), 2*time.Minute)
		defer cancel()
		address, err := forwardPort(ctx, namespace, pod, port)
		if err != nil {
			return "", err
		}
		return httpGet(ctx, "http://"+address+"/metrics")
	})
	if err != nil {
		n.Fatalf("metrics of pod %s, port %d: %v", pod, port, err)
	}
	return text
}

// forwardPort forwards a local address to a pod's port until ctx ends, and returns the address.
func forwardPort(ctx context.Context, namespace, pod string, port int) (string, error) {
	command := exec.CommandContext(ctx, "kubectl", "port-forward", "--namespace", namespace, "pod/"+pod, fmt.Sprintf(":%d", port))
	out, err := command.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := command.Start(); err != nil {
		return "", fmt.Errorf("start kubectl port-forward: %w", err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if match := forwardingPattern.FindStringSubmatch(lines.Text()); match != nil {
			go func() {
				_, _ = io.Copy(io.Discard, out)
				_ = command.Wait()
			}()
			return match[1], nil
		}
	}
	return "", fmt.Errorf("kubectl port-forward ended: %w", command.Wait())
}

func httpGet(ctx context.Context, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s", response.Status, strings.TrimSpace(string(body)))
	}
	return string(body), nil
}
