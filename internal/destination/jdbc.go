package destination

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

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
