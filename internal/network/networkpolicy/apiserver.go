package networkpolicy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	discoveryv1 "k8s.io/api/discovery/v1"
)

// servicePort is the port of the Service kubernetes. Network plug-ins that decide before the address is translated see it.
const servicePort = 443

// DefaultAPIServerPorts are the ports of API servers whose endpoints are not known.
var DefaultAPIServerPorts = []int32{servicePort, 6443}

// APIServerPorts returns the ports of the endpoints of the Service kubernetes and of the Service itself, sorted. It returns
// none without endpoints.
func APIServerPorts(endpoints []discoveryv1.EndpointSlice) []int32 {
	var ports []int32
	for i := range endpoints {
		for _, port := range endpoints[i].Ports {
			if port.Port != nil {
				ports = append(ports, *port.Port)
			}
		}
	}
	if len(ports) == 0 {
		return nil
	}
	ports = append(ports, servicePort)
	slices.Sort(ports)
	return slices.Compact(ports)
}

// PortList is a list of ports. It implements flag.Value.
type PortList []int32

// String returns the ports, separated by commas.
func (l *PortList) String() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(*l), " ", ","), "[]")
}

// Set replaces the ports with those of a list that is separated by commas.
func (l *PortList) Set(text string) error {
	var ports PortList
	for word := range strings.SplitSeq(text, ",") {
		port, err := strconv.ParseUint(strings.TrimSpace(word), 10, 16)
		if err != nil || port == 0 {
			return fmt.Errorf("port %.20q must be a number from 1 to 65535", word)
		}
		ports = append(ports, int32(port))
	}
	*l = ports
	return nil
}
