package container

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

// encodePerfData returns a JVM's perf data file with one entry per counter.
func encodePerfData(t testing.TB, order binary.ByteOrder, values map[string]int64) []byte {
	t.Helper()
	var entries bytes.Buffer
	for name, value := range values {
		data := (entryLength + len(name) + 1 + 7) / 8 * 8
		e := perfEntry{Length: int32(data + 8), NameOffset: entryLength, Type: typeLong, DataOffset: int32(data)}
		body := make([]byte, data+8)
		if _, err := binary.Encode(body, order, e); err != nil {
			t.Fatal(err)
		}
		copy(body[entryLength:], name)
		order.PutUint64(body[data:], uint64(value))
		entries.Write(body)
	}
	head := make([]byte, prologueLength)
	p := perfPrologue{EntryOffset: prologueLength, Entries: int32(len(values))}
	if order == binary.LittleEndian {
		p.Endianness = littleEndian
	}
	if _, err := binary.Encode(head, order, p); err != nil {
		t.Fatal(err)
	}
	binary.BigEndian.PutUint32(head, perfDataMagic)
	return append(head, entries.Bytes()...)
}

func writePerfData(t *testing.T, root, process string, content []byte) {
	t.Helper()
	folder := filepath.Join(root, "tmp/hsperfdata_corda")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, process), content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestReadSumsAllJVMs(t *testing.T) {
	root := t.TempDir()
	writePerfData(t, root, "17", encodePerfData(t, binary.LittleEndian, map[string]int64{"sun.os.hrt.frequency": 1e9,
		"sun.gc.collector.0.time": 25e8, "sun.gc.collector.1.time": 5e8, "sun.gc.collector.0.invocations": 40, "sun.gc.collector.1.invocations": 1,
		"sun.gc.collector.0.lastEntryTime": 77, "java.threads.live": 12}))
	writePerfData(t, root, "18", encodePerfData(t, binary.BigEndian, map[string]int64{"sun.os.hrt.frequency": 1e6, "sun.gc.collector.0.time": 1e6}))
	got := ReadJVMs(root)
	if len(got) != 2 || got[0].Value != 4 || got[1].Value != 41 {
		t.Errorf("got %+v, want 4 s in 41 collections", got)
	}
}

func TestTruncatedFilesAreIgnored(t *testing.T) {
	whole := encodePerfData(t, binary.LittleEndian, map[string]int64{"sun.os.hrt.frequency": 1e9, "sun.gc.collector.0.time": 1})
	for cut := range whole {
		root := t.TempDir()
		writePerfData(t, root, "1", whole[:cut])
		if got := ReadJVMs(root); got != nil {
			t.Fatalf("%d of %d bytes read as %+v", cut, len(whole), got)
		}
	}
}

func TestReadWithoutJVM(t *testing.T) {
	if got := ReadJVMs(t.TempDir()); got != nil {
		t.Errorf("got %+v", got)
	}
}
