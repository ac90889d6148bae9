package registry_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/delivery"
	"github.com/benchnet/benchnet/internal/network/database"
	"github.com/benchnet/benchnet/internal/platform"
)

// destinations are the fields of the specs that a pod or a driver connects to, each with what builds its objects. A field with
// nil is no destination of its own.
var destinations = map[string]func(host string) error{
	"ExternalServer.host": func(host string) error {
		network := &v1alpha1.BenchmarkNetwork{}
		network.Spec.Database = &v1alpha1.DatabaseSpec{Engine: v1alpha1.EnginePostgreSQL, Topology: v1alpha1.TopologyShared,
			Provider: v1alpha1.ProviderExternal, External: &v1alpha1.ExternalDatabase{Servers: []v1alpha1.ExternalServer{{Host: host}}}}
		_, err := database.Build(database.Input{Network: network, Members: []platform.Member{{Name: "member-0"}},
			Requirements: platform.DatabaseRequirements{Connections: map[string]int32{"member-0": 1}}})
		return err
	},
	"ResultUpload.endpoint": func(host string) error {
		run := &v1alpha1.BenchmarkRun{}
		run.Spec.Delivery.Upload = &v1alpha1.ResultUpload{Endpoint: urlOf(host)}
		_, err := delivery.BuildUpload(run, nil, "", "")
		return err
	},
	"Webhook.url": func(host string) error {
		run := &v1alpha1.BenchmarkRun{}
		run.Spec.Delivery.Webhook = &v1alpha1.Webhook{URL: urlOf(host)}
		_, err := delivery.BuildRunWebhook(run, "")
		return err
	},
	"JPaxosTuning.multicastAddress": nil, // A group of the replicas, which a rule restricts to multicast addresses.
}

// forbiddenHosts are some forbidden destinations in different forms; internal/destination tests all of them.
var forbiddenHosts = []string{"169.254.169.254", "127.0.0.1", "localhost", "LOCALHOST.", "metadata.google.internal", "0x7f.1", "2852039166",
	"fd00:ec2::254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "168.63.129.16", "192.0.0.192"}

func urlOf(host string) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return "http://" + host + ":9000/a"
}

func TestDestinationsAreChecked(t *testing.T) {
	found := map[string]bool{}
	for _, spec := range []any{v1alpha1.BenchmarkNetworkSpec{}, v1alpha1.BenchmarkRunSpec{}, v1alpha1.BenchmarkExperimentSpec{}} {
		findFields(reflect.TypeOf(spec), isDestination, found, map[reflect.Type]bool{})
	}
	for name := range found {
		if _, known := destinations[name]; !known {
			t.Errorf("%s may be a destination: check it with destination.CheckHost and add a case here", name)
		}
	}
	for name, build := range destinations {
		if !found[name] {
			t.Errorf("%s is no field", name)
		}
		if build == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if err := build("server.example.org"); err != nil {
				t.Errorf("an allowed host is refused: %v", err)
			}
			for _, host := range forbiddenHosts {
				if err := build(host); err == nil {
					t.Errorf("%s is not refused", host)
				}
			}
		})
	}
}

// destinationName matches the names of texts that may become a destination.
var destinationName = regexp.MustCompile(`(?i)(url|uri|host|endpoint|address|server|proxy|gateway|broker)e?s?$`)

// isDestination reports whether a field is a text, or a list of texts, whose name is that of a destination.
func isDestination(f reflect.StructField, name string) bool {
	item := f.Type
	for item.Kind() == reflect.Pointer || item.Kind() == reflect.Slice {
		item = item.Elem()
	}
	return item.Kind() == reflect.String && destinationName.MatchString(name)
}
