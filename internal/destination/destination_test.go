package destination

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"testing"
)

// forbiddenIPv4 has an address of each forbidden range and service.
var forbiddenIPv4 = []string{
	"0.0.0.0", "0.1.2.3", "127.0.0.1", "127.255.255.255", "169.254.0.1", "169.254.169.254", "169.254.169.123", "169.254.170.2", "169.254.170.23",
	"168.63.129.16", "192.0.0.192", "100.100.100.200", "224.0.0.1", "239.1.2.3", "240.0.0.1", "255.255.255.255",
}

var forbiddenIPv6 = []string{
	"::", "::1", "fe80::1", "febf::1", "ff02::1", "fd00:ec2::254", "fd00:ec2::253", "fd00:ec2::123", "fd00:ec2::23", "fd20:ce::254",
	"2002:a9fe:a9fe::1", "2001:0:a9fe:a9fe::1",
}

var permitted = []string{
	"10.1.2.3", "172.16.0.1", "192.168.1.1", "192.0.0.191", "100.100.100.199", "100.64.0.1", "168.63.129.17", "203.0.113.7", "8.8.8.8", "223.255.255.255",
	"fd00::1", "fd00:ec3::254", "2001:db8::1", "2606:4700::1111", "64:ff9b::8.8.8.8", "64:ff9b:1::8.8.8.8", "::ffff:10.0.0.1",
}

// embeddings are the IPv6 addresses that stand for an IPv4 address.
var embeddings = map[string]func(v4 [4]byte) netip.Addr{
	"mapped":             atEnd("::ffff:0:0"),
	"compatible":         atEnd("::"),
	"translated":         atEnd("::ffff:0:0:0"),
	"NAT64":              atEnd("64:ff9b::"),
	"local NAT64":        atEnd("64:ff9b:1::"),
	"local NAT64, other": atEnd("64:ff9b:1:fffe::"),
	"local NAT64, /48":   at("64:ff9b:1::", 6, 7, 9, 10),
	"local NAT64, /56":   at("64:ff9b:1::", 7, 9, 10, 11),
	"local NAT64, /64":   at("64:ff9b:1:ab::", 9, 10, 11, 12),
	"6to4":               at("2002::1", 2, 3, 4, 5),
	"Teredo": func(v4 [4]byte) netip.Addr {
		return at("2001:0:0102:0304::", 12, 13, 14, 15)([4]byte{^v4[0], ^v4[1], ^v4[2], ^v4[3]})
	},
	"ISATAP":         atEnd("2001:db8::5efe:0:0"),
	"ISATAP, global": atEnd("2001:db8::200:5efe:0:0"),
}

func atEnd(prefix string) func([4]byte) netip.Addr { return at(prefix, 12, 13, 14, 15) }

func at(prefix string, positions ...int) func([4]byte) netip.Addr {
	return func(v4 [4]byte) netip.Addr {
		b := netip.MustParseAddr(prefix).As16()
		for i, p := range positions {
			b[p] = v4[i]
		}
		return netip.AddrFrom16(b)
	}
}

func TestCheckAddress(t *testing.T) {
	want := func(text string, refused bool) {
		t.Run(text, func(t *testing.T) {
			if err := CheckAddress(netip.MustParseAddr(text)); (err != nil) != refused {
				t.Errorf("got %v, want an error: %t", err, refused)
			}
			if err := Control("tcp", netip.AddrPortFrom(netip.MustParseAddr(text), 443).String(), nil); (err != nil) != refused {
				t.Errorf("a connection gives %v, want an error: %t", err, refused)
			}
			if err := CheckHost(text); (err != nil) != refused {
				t.Errorf("as a host: %v, want an error: %t", err, refused)
			}
		})
	}
	for _, text := range append(forbiddenIPv4, forbiddenIPv6...) {
		want(text, true)
	}
	for _, text := range permitted {
		want(text, false)
	}
	for name, embed := range embeddings {
		for _, text := range forbiddenIPv4 {
			t.Run(name+"/"+text, func(t *testing.T) {
				if address := embed(netip.MustParseAddr(text).As4()); CheckAddress(address) == nil {
					t.Errorf("%s embeds %s, but is permitted", address, text)
				}
			})
		}
	}
	if CheckAddress(netip.MustParseAddr("fe80::1%eth0")) == nil {
		t.Error("a zone hides a link-local address")
	}
}

// TestCheckHost tries the forms in which programs read the address 169.254.169.254, and names.
func TestCheckHost(t *testing.T) {
	a := netip.MustParseAddr("169.254.169.254").As4()
	number := binary.BigEndian.Uint32(a[:])
	refused := []string{
		"169.254.169.254.", fmt.Sprint(number), fmt.Sprintf("0x%x", number), fmt.Sprintf("0%o", number), "0xA9.0xFE.0xA9.0xFE", "0251.0376.0251.0376",
		"169.254.43518", "169.16689662", "127.1", "127.1.", "0", "0x7f.1", "00000177.1", "1.2.3.4.5", "169.254.169.0xfe",
		"fe80::1%eth0", "[::1]", "１６９.254.169.254", "169。254。169。254", "", ".", "a b", "host/x", "host:80", "user@host",
		"localhost", "LOCALHOST.", "a.localhost", "metadata.google.internal", "Metadata.Google.Internal.", "metadata", "metadata.goog",
		"instance-data.ec2.internal", "instance-data",
	}
	for _, host := range refused {
		t.Run(host, func(t *testing.T) {
			if CheckHost(host) == nil {
				t.Errorf("%q is permitted", host)
			}
		})
	}
	for _, host := range []string{"db.example", "db.example.", "postgres", "db-1.other.svc", "metadata.team.example", "0x.example", "1.example", "xn--bcher-kva.example", "my_db.example"} {
		t.Run(host, func(t *testing.T) {
			if err := CheckHost(host); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestExceptions checks that the ranges of policies cover what CheckAddress refuses, and nothing else.
func TestExceptions(t *testing.T) {
	ipv4, ipv6 := Exceptions()
	covered := func(address netip.Addr) bool {
		for _, text := range append(append([]string(nil), ipv4...), ipv6...) {
			if prefix := netip.MustParsePrefix(text); prefix.Contains(address) {
				return true
			}
		}
		return false
	}
	for _, text := range append(forbiddenIPv4, forbiddenIPv6...) {
		if !covered(netip.MustParseAddr(text)) {
			t.Errorf("%s is not excluded", text)
		}
	}
	for _, text := range permitted {
		if covered(netip.MustParseAddr(text)) {
			t.Errorf("%s is excluded", text)
		}
	}
	for _, name := range []string{"NAT64", "local NAT64", "6to4", "Teredo"} {
		if address := embeddings[name](netip.MustParseAddr("169.254.169.254").As4()); !covered(address) {
			t.Errorf("%s is not excluded", address)
		}
	}
	for _, text := range append(ipv4, ipv6...) {
		if prefix := netip.MustParsePrefix(text); prefix.Masked() != prefix {
			t.Errorf("%s has bits beyond its length", text)
		}
	}
}
