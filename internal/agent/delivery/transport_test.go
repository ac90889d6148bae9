package delivery

import "testing"

func TestRefuseNodeAddress(t *testing.T) {
	for address, refused := range map[string]bool{
		"169.254.169.254:80": true, "[::ffff:169.254.169.254]:80": true, "[fe80::1%eth0]:443": true, "[fd00:ec2::254]:80": true,
		"[fd20:ce::254]:80": true, "100.100.100.200:80": true, "[::ffff:100.100.100.200]:80": true,
		"10.1.2.3:9000": false, "203.0.113.7:443": false, "[fd00:ec2::255]:80": false, "[2001:db8::1]:443": false,
	} {
		t.Run(address, func(t *testing.T) {
			if err := refuseNodeAddress("tcp", address, nil); (err != nil) != refused {
				t.Errorf("got %v, want an error: %t", err, refused)
			}
		})
	}
}
