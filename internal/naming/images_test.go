package naming

import "testing"

func TestResolveImage(t *testing.T) {
	for _, test := range []struct {
		name, reference, want string
		overrides             map[string]string
	}{
		{"the project's CorDapps", "cordapps", "registry.example.com/benchnet/cordapps:1.2.3", nil},
		{"an override of the project's image", "cordapps", "mirror.example.com/cordapps@sha256:0a", map[string]string{"cordapps": "mirror.example.com/cordapps@sha256:0a"}},
		{"the same name with a tag", "cordapps:2", "cordapps:2", nil},
		{"another registry", "ghcr.io/benchnet/cordapps:0.1.0", "ghcr.io/benchnet/cordapps:0.1.0", map[string]string{"cordapps": "other"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := ImageCatalogue{Registry: "registry.example.com/benchnet", Version: "1.2.3", Overrides: test.overrides}
			if got := c.Resolve(test.reference); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
