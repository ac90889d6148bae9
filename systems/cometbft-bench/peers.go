package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/cometbft/cometbft/p2p"
)

// dialInterval is the mean pause between two attempts to reach a peer. CometBFT's own dialling does not suit a network
// whose members start in any order: it ignores a peer whose name does not resolve at its start, keeps the first address
// of a name for ever, waits longer and longer, and gives up.
const dialInterval = time.Second

// peer is another validator.
type peer struct {
	id      p2p.ID
	address string
}

// parsePeer splits "<index>@host:port".
func parsePeer(text string) (index int, address string, err error) {
	left, address, found := strings.Cut(text, "@")
	index, err = strconv.Atoi(left)
	if !found || err != nil || index < 0 {
		return 0, "", fmt.Errorf("%q is not a peer: <index of the validator>@host:port", text)
	}
	host, port, err := net.SplitHostPort(address)
	if number, numberErr := strconv.ParseUint(port, 10, 16); err != nil || host == "" || numberErr != nil || number == 0 {
		return 0, "", fmt.Errorf("%q is not a peer: <index of the validator>@host:port", text)
	}
	return index, address, nil
}

// resolveIDs looks up the IDs of peers. own is the index of this validator.
func resolveIDs(texts []string, ids []p2p.ID, own int) ([]peer, error) {
	var peers []peer
	seen := map[int]bool{}
	for i, text := range texts {
		index, address, err := parsePeer(text)
		switch {
		case err != nil:
			return nil, err
		case index >= len(ids):
			return nil, fmt.Errorf("network.peers[%d]: %q has an index out of range: 0 to %d", i, text, len(ids)-1)
		case index == own:
			return nil, fmt.Errorf("network.peers[%d]: %q is this validator: another one", i, text)
		case seen[index]:
			return nil, fmt.Errorf("network.peers[%d]: %q is listed twice: each peer once", i, text)
		}
		seen[index] = true
		peers = append(peers, peer{id: ids[index], address: address})
	}
	return peers, nil
}

// keepConnected dials the peer until ctx ends, whenever it is not connected. The pauses vary, so that two validators
// that dial each other do not keep rejecting each other's connection.
func (p peer) keepConnected(ctx context.Context, network p2p.Switcher) {
	reported := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(dialInterval/2 + rand.N(dialInterval)):
		}
		if network.Peers().Has(p.id) {
			reported = false
			continue
		}
		address, err := p2p.NewNetAddressString(p2p.IDAddressString(p.id, p.address))
		if err == nil && ctx.Err() == nil {
			err = network.DialPeerWithAddress(address)
		}
		if err != nil && !reported && !network.Peers().Has(p.id) {
			slog.Warn("no connection to a peer, dialling it again and again", "peer", p.address, "err", err)
			reported = true
		}
	}
}
