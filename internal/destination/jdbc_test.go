package destination

import (
	"strings"
	"testing"
)

func TestCheckJDBC(t *testing.T) {
	for url, want := range map[string]string{
		"jdbc:sqlserver://db.example:1433;databaseName=corda":                                                          "",
		`jdbc:sqlserver://db.example\corda;databaseName=metadata`:                                                      "",
		"jdbc:sqlserver://[2001:db8::1]:1433;user=a;password=b":                                                        "",
		"jdbc:sqlserver://;serverName=db.example;databaseName=corda":                                                   "",
		"jdbc:oracle:thin:@db.example:1521:xe":                                                                         "",
		"jdbc:oracle:thin:@//10.1.2.3:1521/service":                                                                    "",
		"jdbc:oracle:thin:@tcps://a.example:1521,b.example:1522/service?wallet_location=/opt/x":                        "",
		"jdbc:oracle:thin:@(DESCRIPTION=(ADDRESS=(PROTOCOL=TCP)(HOST=db.example)(PORT=1521)))":                         "",
		"jdbc:sqlserver://169.254.169.254:80":                                                                          "link-local",
		`jdbc:sqlserver://169.254.169.254\x:80`:                                                                        "link-local",
		"jdbc:sqlserver://{127.0.0.1}:1433":                                                                            "the pod itself",
		"jdbc:sqlserver://[fd00:ec2::254]:80":                                                                          "AWS",
		"jdbc:sqlserver://[64:ff9b::a9fe:a9fe]:80":                                                                     "link-local",
		"jdbc:sqlserver://;databaseName=corda":                                                                         "no host",
		"jdbc:sqlserver://db.example;serverName=localhost":                                                             "the pod itself",
		"jdbc:sqlserver://db.example;failoverPartner={168.63.129.16}":                                                  "Azure",
		"jdbc:sqlserver://db.example;Authentication = ActiveDirectoryManagedIdentity":                                  "the cloud's metadata",
		"jdbc:oracle:thin:@metadata.google.internal:80:xe":                                                             "cloud's metadata",
		"jdbc:oracle:thin:@//2852039166:80/x":                                                                          "usual form",
		"jdbc:oracle:thin:user/pass@0x7f.1:80:xe":                                                                      "usual form",
		"jdbc:oracle:thin:@tcps://db.example:1521,169.254.169.254:80/service":                                          "link-local",
		"jdbc:oracle:thin:@(DESCRIPTION=(ADDRESS=(HOST=db.example))(ADDRESS=(PROTOCOL=TCP) (HOST = 100.100.100.200)))": "Alibaba",
		"jdbc:oracle:thin:@(DESCRIPTION=(ADDRESS=(HTTPS_PROXY=169.254.169.254)(HOST=db.example)))":                     "link-local",
		"jdbc:oracle:thin:@ldap://127.0.0.1:389/cn=x":                                                                  "the pod itself",
		"": "no host",
	} {
		t.Run(url, func(t *testing.T) {
			err := CheckJDBC(url)
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("want %q, got %v", want, err)
			}
			if err != nil && strings.Contains(err.Error(), "pass") {
				t.Errorf("the error contains a part of the account: %v", err)
			}
		})
	}
}
