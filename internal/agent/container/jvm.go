package container

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Metrics of the JVMs.
const (
	GCSeconds     = "benchnet_jvm_gc_seconds_total"
	GCCollections = "benchnet_jvm_gc_collections_total"
)

// jvmMetrics lists all metrics that ReadJVMs can return.
var jvmMetrics = Catalogue{
	{Name: GCSeconds, Kind: Counter, Help: "Time in which garbage collection paused the JVM."},
	{Name: GCCollections, Kind: Counter, Help: "Garbage collections of the JVM."},
}

// ReadJVMs returns the sums over the garbage collections of all JVMs with a perf data file below root, which is "/"
// except in tests. It returns nil if there is no readable JVM.
//
// Every HotSpot JVM keeps its counters in a shared file (jvmstat's "perf data"), so reading them costs the JVM nothing and needs no
// JVM option. The file is missing if the user has no entry in the image's /etc/passwd, or if the JVM was started with
// -XX:+PerfDisableSharedMem or -XX:-UsePerfData.
func ReadJVMs(root string) []Metric {
	files, err := filepath.Glob(filepath.Join(root, "tmp/hsperfdata_*/[0-9]*"))
	if err != nil {
		return nil
	}
	var seconds, collections float64
	known := false
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		// The JVM may still be creating the file. The next call reads it again.
		c, err := parsePerfData(content)
		if err != nil {
			continue
		}
		spent, count, ok := c.sumCollections()
		seconds, collections, known = seconds+spent, collections+count, known || ok
	}
	if !known {
		return nil
	}
	return []Metric{jvmMetrics.WithValue(GCSeconds, seconds), jvmMetrics.WithValue(GCCollections, collections)}
}

// perfCounters holds the integer counters of one JVM by name.
type perfCounters map[string]int64

// sumCollections returns the time in seconds and the number of collections, summed over all collectors. known
// is false if the JVM publishes no collector time.
func (c perfCounters) sumCollections() (seconds, count float64, known bool) {
	frequency := c["sun.os.hrt.frequency"]
	if frequency <= 0 {
		return 0, 0, false
	}
	for name, value := range c {
		switch {
		case !strings.HasPrefix(name, "sun.gc.collector."), value < 0: // JVM counters are never negative.
		case strings.HasSuffix(name, ".time"):
			seconds, known = seconds+float64(value)/float64(frequency), true
		case strings.HasSuffix(name, ".invocations"):
			count += float64(value)
		}
	}
	return seconds, count, known
}

// Layout of the file: a prologue, then entries. Each entry is a header, a NUL-terminated name and the data.
const (
	perfDataMagic  = 0xcafec0c0
	prologueLength = 32
	entryLength    = 20
	littleEndian   = 1
	typeLong       = 'J'
)

type perfPrologue struct {
	Magic                                uint32
	Endianness, Major, Minor, Accessible byte
	Used, Overflow                       int32
	Modified                             int64
	EntryOffset, Entries                 int32
}

type perfEntry struct {
	Length, NameOffset, Elements  int32
	Type, Flags, Unit, Variablity byte
	DataOffset                    int32
}

var errTruncated = errors.New("perf data: the file was read during an update")

func parsePerfData(content []byte) (perfCounters, error) {
	if len(content) < prologueLength || binary.BigEndian.Uint32(content) != perfDataMagic {
		return nil, errors.New("perf data: not a perf data file")
	}
	var order binary.ByteOrder = binary.BigEndian
	if content[4] == littleEndian {
		order = binary.LittleEndian
	}
	var head perfPrologue
	if _, err := binary.Decode(content, order, &head); err != nil {
		return nil, fmt.Errorf("perf data: %w", err)
	}
	all := perfCounters{}
	for at, left := int(head.EntryOffset), head.Entries; left > 0; left-- {
		if at < prologueLength || at+entryLength > len(content) {
			return nil, errTruncated
		}
		length, err := all.addEntry(content[at:], order)
		if err != nil {
			return nil, err
		}
		at += length
	}
	return all, nil
}

// addEntry adds the entry at the start of content if it is an integer, and returns the length of the entry.
func (c perfCounters) addEntry(content []byte, order binary.ByteOrder) (int, error) {
	var e perfEntry
	if _, err := binary.Decode(content, order, &e); err != nil {
		return 0, fmt.Errorf("perf data: %w", err)
	}
	length, name, data := int(e.Length), int(e.NameOffset), int(e.DataOffset)
	if length < entryLength || length > len(content) || name < entryLength || name > length || data < entryLength || data > length {
		return 0, errTruncated
	}
	if e.Type != typeLong || e.Elements != 0 {
		return length, nil
	}
	end := bytes.IndexByte(content[name:length], 0)
	if end < 0 || data+8 > length {
		return 0, errTruncated
	}
	c[string(content[name:name+end])] = int64(order.Uint64(content[data:]))
	return length, nil
}
