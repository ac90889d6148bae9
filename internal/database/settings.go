package database

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Setting is one line of postgresql.conf and the rule or field that it comes from.
type Setting struct {
	Name   string
	Value  string
	Source string
}

const (
	// reservedConnections beside the members': 3 that PostgreSQL keeps for the superuser
	// (superuser_reserved_connections), 1 of the exporter, 4 of the setup's clones, 2 for people.
	reservedConnections = 10

	// bytesPerTransaction and bytesPerState: R3's rule of thumb, 10 KB each (SQL Server 2017).
	bytesPerTransaction = 10_000
	bytesPerState       = 10_000
	// storageSafety covers indexes, bloat between vacuums, warm-up and repeated windows.
	storageSafety = 2
	// walBytes is max_wal_size's default, 1 GB, which the write-ahead log may reach between checkpoints.
	walBytes = 1 << 30
	// bytesPerSchema of a member before the first transaction: 8.4 MB measured for Corda 4.10 with finance, on H2.
	bytesPerSchema = 10_000_000

	mebibyte = 1 << 20
	gibibyte = 1 << 30
)

// settings are the instance's, by name: derived ones, replaced or joined by the user's.
func (in Input) settings(g group) ([]Setting, error) {
	needed := connections(g)
	derived := map[string]Setting{}
	set := func(name, value, source string) { derived[name] = Setting{Name: name, Value: value, Source: source} }

	set("max_connections", strconv.FormatInt(needed+reservedConnections, 10),
		fmt.Sprintf("%d of the members' pools + %d for superuser, exporter, setup and people", needed, reservedConnections))
	if memory := serverMemory(in.Server.Resources); memory > 0 {
		set("shared_buffers", megabytes(memory/4), "25 % of the memory (PostgreSQL manual, 20.4.1)")
		set("effective_cache_size", megabytes(memory/2), "half of the memory (PostgreSQL wiki, Tuning Your PostgreSQL Server)")
	}
	for name, value := range in.Server.Settings {
		set(name, value, "the database's settings")
	}
	if err := enoughConnections(derived["max_connections"].Value, needed); err != nil {
		return nil, err
	}
	out := make([]Setting, 0, len(derived))
	for _, name := range slices.Sorted(maps.Keys(derived)) {
		out = append(out, derived[name])
	}
	return out, nil
}

// enoughConnections refuses a server on which the members' pools and the superuser's reserve do not fit.
func enoughConnections(maxConnections string, needed int64) error {
	n, err := strconv.ParseInt(maxConnections, 10, 32)
	if err != nil {
		return fmt.Errorf("max_connections must be a whole number, not %q", maxConnections)
	}
	if least := needed + 3; n < least {
		return fmt.Errorf("max_connections %d is too small: the members' pools need %d and PostgreSQL keeps 3 for the superuser: at least %d", n, needed, least)
	}
	return nil
}

// connections that the members of the instance may open at once.
func connections(g group) int64 {
	var n int64
	for _, m := range g.members {
		n += int64(m.Connections)
	}
	return n
}

// serverMemory in bytes: the limit, else the request, else 0.
func serverMemory(r corev1.ResourceRequirements) int64 {
	if limit, ok := r.Limits[corev1.ResourceMemory]; ok {
		return limit.Value()
	}
	return r.Requests.Memory().Value()
}

func megabytes(bytes int64) string { return fmt.Sprintf("%dMB", max(bytes/mebibyte, 1)) }

// storage is the volume's size: as asked, else in whole GiB what the planned load writes with its safety, an empty schema
// per member and the write-ahead log.
func (in Input) storage(g group) resource.Quantity {
	if in.Server.Storage.Size != nil {
		return *in.Server.Storage.Size
	}
	var planned int64
	for _, m := range g.members {
		planned += m.Transactions*bytesPerTransaction + m.States*bytesPerState
	}
	bytes := planned*storageSafety + int64(len(g.members))*bytesPerSchema + walBytes
	return *resource.NewQuantity((bytes+gibibyte-1)/gibibyte*gibibyte, resource.BinarySI)
}
