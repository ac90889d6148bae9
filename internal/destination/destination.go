// Package destination lists the network destinations that nothing which a tenant configures may reach: the node's
// and the pod's own addresses, and the services by which clouds give out credentials and set-ups of nodes. The
// list holds for literal addresses and names in specs, for connections of the agent, and for NetworkPolicies.
package destination

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// forbidden are the address ranges with what they are. An IPv4 range also stands for the IPv6 addresses that embed it.
var forbidden = []struct {
	prefix netip.Prefix
	what   string
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "the unspecified address"},
	{netip.MustParsePrefix("127.0.0.0/8"), "the pod itself"},
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local address, as of a cloud's metadata"},
	{netip.MustParsePrefix("100.100.100.200/32"), "the metadata of Alibaba Cloud"},
	{netip.MustParsePrefix("168.63.129.16/32"), "the host of Azure"},
	{netip.MustParsePrefix("192.0.0.192/32"), "the metadata of Oracle Cloud"},
	{netip.MustParsePrefix("224.0.0.0/4"), "a multicast address"},
	{netip.MustParsePrefix("240.0.0.0/4"), "a reserved or broadcast address"},
	{netip.MustParsePrefix("::/128"), "the unspecified address"},
	{netip.MustParsePrefix("::1/128"), "the pod itself"},
	{netip.MustParsePrefix("fe80::/10"), "a link-local address"},
	{netip.MustParsePrefix("ff00::/8"), "a multicast address"},
	{netip.MustParsePrefix("fd00:ec2::/32"), "the metadata, DNS, time or identity service of AWS"},
	{netip.MustParsePrefix("fd20:ce::254/128"), "the metadata of Google Cloud"},
	{netip.MustParsePrefix("2002::/16"), "a 6to4 address, which stands for another one"},
	{netip.MustParsePrefix("2001::/32"), "a Teredo address, which stands for another one"},
}

// names are the names of metadata services and of the pod itself, with their subdomains.
var names = []string{"localhost", "localhost.localdomain", "metadata", "metadata.google.internal", "metadata.goog", "instance-data",
	"instance-data.ec2.internal"}

// hostPattern matches host names. Resolvers also accept the underscore.
var hostPattern = regexp.MustCompile(`^[-_.0-9A-Za-z]*$`)

// Prefixes by which a NAT64 gateway translates to IPv4, RFC 6052 and RFC 8215. The second may be used in any of the
// forms of RFC 6052.
var (
	wellKnownNAT64 = netip.MustParsePrefix("64:ff9b::/96")
	localNAT64     = netip.MustParsePrefix("64:ff9b:1::/48")
)

// CheckAddress returns an error if the address, or an IPv4 address that it embeds, is forbidden.
func CheckAddress(address netip.Addr) error {
	address = address.WithZone("")
	for _, candidate := range append(embeddedAddresses(address), address.Unmap()) {
		for _, f := range forbidden {
			if f.prefix.Contains(candidate) {
				return fmt.Errorf("%s is refused: it is %s", address, f.what)
			}
		}
	}
	return nil
}

// embeddedAddresses returns the IPv4 addresses to which a gateway or the kernel may translate an IPv6 address.
func embeddedAddresses(address netip.Addr) []netip.Addr {
	if address.Is4() || address.Is4In6() {
		return nil
	}
	b := address.As16()
	last := netip.AddrFrom4([4]byte(b[12:]))
	switch {
	case isZero(b[:12]) && !isZero(b[12:15]), // IPv4-compatible; ::1 and :: are in the list.
		isZero(b[:8]) && b[8] == 0xff && b[9] == 0xff && isZero(b[10:12]), // IPv4-translated
		wellKnownNAT64.Contains(address):
		return []netip.Addr{last}
	case localNAT64.Contains(address):
		return localNAT64Targets(b)
	case (b[8] == 0 || b[8] == 2) && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe: // ISATAP
		return []netip.Addr{last}
	}
	return nil
}

// localNAT64Targets returns the IPv4 addresses that an address of localNAT64 stands for, in the forms of RFC 6052 whose
// remaining bits are zero.
func localNAT64Targets(b [16]byte) []netip.Addr {
	if !isZero(b[13:]) {
		return []netip.Addr{netip.AddrFrom4([4]byte(b[12:]))}
	}
	all := []netip.Addr{netip.AddrFrom4([4]byte(b[9:13]))} // Prefix of 64 bits.
	if isZero(b[12:]) {
		all = append(all, netip.AddrFrom4([4]byte{b[7], b[9], b[10], b[11]})) // 56 bits
	}
	if isZero(b[11:]) {
		all = append(all, netip.AddrFrom4([4]byte{b[6], b[7], b[9], b[10]})) // 48 bits
	}
	return all
}

func isZero(part []byte) bool { return !slices.ContainsFunc(part, func(x byte) bool { return x != 0 }) }

// CheckHost returns an error if the host of a spec is a forbidden name or address, or an address in a form that
// programs read differently, such as 0x7f.1. Names may still resolve to a forbidden address: the agent checks the
// address of each connection, and NetworkPolicies exclude the ranges.
func CheckHost(host string) error {
	if address, err := netip.ParseAddr(host); err == nil {
		if address.Zone() != "" {
			return fmt.Errorf("%q must be an address without a zone", host)
		}
		return CheckAddress(address)
	}
	if len(host) > 253 || host == "" {
		return errors.New("must be a host name of 1 to 253 characters or an address")
	}
	if !hostPattern.MatchString(host) {
		return fmt.Errorf("%q must be a host name of a-z, 0-9, - and dots (xn--… for others) or an address", host)
	}
	name := strings.ToLower(strings.TrimRight(host, "."))
	if isNumeric(name[strings.LastIndex(name, ".")+1:]) {
		return fmt.Errorf("%q must be a host name or an address in its usual form, such as 192.0.2.1", host)
	}
	for _, n := range names {
		if name == n || strings.HasSuffix(name, "."+n) && n != "metadata" && n != "instance-data" {
			return fmt.Errorf("%q is refused: it is the pod itself or a cloud's metadata", host)
		}
	}
	return nil
}

// isNumeric reports whether resolvers take a name with this last label for an address. No top-level domain is numeric.
func isNumeric(label string) bool {
	if _, err := strconv.ParseUint(label, 0, 64); err == nil || label == "" {
		return true
	}
	return strings.Trim(label, "0123456789") == "" || label == "0x"
}

// Control is the Control of a net.Dialer: it refuses a connection to a resolved address that is forbidden.
func Control(_, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("parse address: %w", err)
	}
	return CheckAddress(target.Addr())
}

// Exceptions returns the forbidden ranges of IPv4 and IPv6 for the IP blocks of a NetworkPolicy. Those of IPv6
// include the addresses by which NAT64 gateways translate to forbidden ones of IPv4.
func Exceptions() (ipv4, ipv6 []string) {
	for _, f := range forbidden {
		if !f.prefix.Addr().Is4() {
			ipv6 = append(ipv6, f.prefix.String())
			continue
		}
		ipv4 = append(ipv4, f.prefix.String())
		for _, gateway := range []netip.Addr{wellKnownNAT64.Addr(), localNAT64.Addr()} {
			b, v4 := gateway.As16(), f.prefix.Addr().As4()
			copy(b[12:], v4[:])
			ipv6 = append(ipv6, netip.PrefixFrom(netip.AddrFrom16(b), 96+f.prefix.Bits()).String())
		}
	}
	return ipv4, ipv6
}

// Places in a JDBC URL of SQL Server or Oracle at which its driver reads hosts.
var (
	jdbcAuthority = regexp.MustCompile(`(?://|@)([^/;?()]*)`)
	jdbcProperty  = regexp.MustCompile(`(?i)[;?&(,\s](?:host|server|server_?name|failover_?partner|(?:https?|socks)_?proxy(?:_?host)?)\s*=\s*([^;?&()]*)`)
	// jdbcCloudLogin makes the driver of SQL Server get an account from the cloud's metadata.
	jdbcCloudLogin = regexp.MustCompile(`(?i)authentication\s*=\s*\{?\s*ActiveDirectory(MSI|ManagedIdentity|Default)`)
)

// CheckJDBC returns an error if a JDBC URL names a forbidden host, or none. The error has no other part of the URL, which may
// contain a password.
func CheckJDBC(url string) error {
	if jdbcCloudLogin.MatchString(url) {
		return errors.New("a login by the identity of the node is refused: the driver would call the cloud's metadata")
	}
	found := false
	for _, match := range append(jdbcAuthority.FindAllStringSubmatch(url, -1), jdbcProperty.FindAllStringSubmatch(url, -1)...) {
		for _, host := range strings.Split(match[1], ",") {
			if host = trimJDBCHost(host); host == "" {
				continue
			}
			found = true
			if err := CheckHost(host); err != nil {
				return fmt.Errorf("host %w", err)
			}
		}
	}
	if !found {
		return errors.New("no host found, want for example jdbc:sqlserver://host:1433 or jdbc:oracle:thin:@host:1521:xe")
	}
	return nil
}

// trimJDBCHost returns the host of an entry such as {db.example\\instance}, [2001:db8::1]:1433 or db.example:1521:xe.
func trimJDBCHost(entry string) string {
	const quotes = " \t\r\n{}\"'"
	entry = strings.Trim(entry, quotes)
	if address, _, bracketed := strings.Cut(strings.TrimPrefix(entry, "["), "]"); bracketed {
		return address
	}
	if strings.Count(entry, ":") > 2 { // An IPv6 address without a port.
		return entry
	}
	host, _, _ := strings.Cut(entry, ":")
	host, _, _ = strings.Cut(host, `\`)
	return strings.Trim(host, quotes)
}
