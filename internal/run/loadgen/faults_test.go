package loadgen

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// faultWorkload returns a workload with the faults at 10 operations per second.
func faultWorkload(t *testing.T, window time.Duration, faults string) *v1alpha1.Workload {
	t.Helper()
	w := &v1alpha1.Workload{Workers: v1alpha1.Workers{Count: 1}}
	text := `load: {model: Open, clients: 1, ratePerSecond: "10"}` + "\nmeasure: {warmUp: 10s}\nfaults: [" + faults + "]"
	if err := yaml.UnmarshalStrict([]byte(text), w); err != nil {
		t.Fatal(err)
	}
	w.Measure.Window.Duration = window
	return w
}

func TestValidateFaults(t *testing.T) {
	const valid = "{name: a, type: Kill, at: 30s, target: {members: [member-0]}}"
	const turn = "{name: a, type: Kill, at: 30s, target: {select: Proposer, members: [member-0]}}"
	const partition = "{name: a, type: Partition, at: 30s, duration: 5s, "
	const link = "{name: a, type: Link, at: 30s, duration: 5s, target: {members: [member-0]}, "
	const pressure = "{name: a, type: Pressure, at: 30s, duration: 5s, target: {members: [member-0], databases: [db]}, pressure: "
	const slow = "{name: a, type: SlowDatabase, at: 30s, duration: 5s, target: {databases: [db]}, slowDatabase: "
	for name, c := range map[string]struct {
		window time.Duration
		faults string
		want   []string
	}{
		"valid":               {time.Minute, valid, nil},
		"on two targets":      {2 * time.Minute, valid + ", {name: b, type: Pause, at: 30s, duration: 10s, target: {members: [member-1], databases: [member-0]}}", nil},
		"one after the other": {2 * time.Minute, valid + ", {name: b, type: Pause, at: 33s, duration: 10s, target: {members: [member-0]}}", nil},
		"before the baseline": {time.Minute, "{name: a, type: Kill, at: 29s, target: {members: [member-0]}}", []string{"faults[0].at", "29s", "at least 30s"}},
		"too late to recover": {time.Minute, "{name: a, type: Kill, at: 31s, duration: 20s, target: {members: [member-0]}}",
			[]string{"faults[0].at", "ends the fault at 51s", "needs 10s more", "measure.window, 1m0s"}},
		"too long":               {time.Hour, "{name: a, type: Pause, at: 31s, duration: 601s, target: {members: [member-0]}}", []string{"faults[0].duration", "10m1s", "to 10m0s"}},
		"a pause of no time":     {time.Minute, "{name: a, type: Pause, at: 30s, target: {members: [member-0]}}", []string{"faults[0].duration", "from 1s"}},
		"two of one name":        {time.Hour, valid + ", {name: a, type: Kill, at: 5m, target: {members: [member-0]}}", []string{"faults[1].name", "Duplicate", `"a"`}},
		"two at once":            {2 * time.Minute, valid + ", {name: b, type: Kill, at: 30s, target: {members: [member-1, member-0]}}", []string{"faults[1].at", "fault a on member-0", "33s"}},
		"two of a role":          {2 * time.Minute, "{name: b, type: Kill, at: 30s, target: {select: Leader, members: [x]}}, {name: a, type: Kill, at: 31s, target: {select: Followers, members: [x]}}", []string{"faults[1].at", "fault b on x", "33s"}},
		"a turn":                 {55 * time.Second, turn, nil},
		"a turn too late":        {45 * time.Second, turn, []string{"faults[0].at", "ends the fault at 40s", "measure.window, 45s"}},
		"while a turn may begin": {2 * time.Minute, turn + ", {name: b, type: Kill, at: 42s, target: {members: [member-0]}}", []string{"faults[1].at", "fault a on member-0", "43s"}},
		"an earlier one is last": {2 * time.Minute, "{name: b, type: Kill, at: 40s, target: {databases: [x]}}, {name: a, type: Pause, at: 30s, duration: 9s, target: {databases: [x]}}", []string{"faults[1].at", "fault b on x", "42s"}},
		"a partition":            {time.Minute, partition + "target: {members: [member-0, member-1]}, from: [member-2]}", nil},
		"a partition of no time": {time.Minute, "{name: a, type: Partition, at: 30s, target: {members: [member-0]}}", []string{"faults[0].duration", "from 1s"}},
		"both sides":             {time.Minute, partition + "target: {members: [member-0]}, from: [member-0]}", []string{"faults[0].from[0]", "member-0", "on the other side"}},
		"a partition of a container": {time.Minute, partition + "target: {members: [member-0/execution]}}",
			[]string{"faults[0].target.members[0]", "member-0/execution", "all of its containers"}},
		"a partition of a database": {time.Minute, partition + "target: {databases: [db]}}", []string{"faults[0].target.databases", "between members"}},
		"a pause from members": {time.Minute, "{name: a, type: Pause, at: 30s, duration: 5s, target: {members: [member-0]}, from: [member-1]}",
			[]string{"faults[0].from", "belongs to types Partition and Link"}},
		"the direction of a pause": {time.Minute, "{name: a, type: Pause, at: 30s, duration: 5s, target: {members: [member-0]}, direction: Both}",
			[]string{"faults[0].direction", "belongs to types Partition and Link"}},
		"a partition of one direction": {time.Minute, partition + "target: {members: [member-0]}, direction: FromTarget}", nil},
		"a loss of one direction":      {time.Minute, link + `direction: FromTarget, link: {lossPercent: "1"}}`, nil},
		"a round trip to the target":   {time.Minute, link + "direction: ToTarget, link: {roundTrip: 40ms}}", nil},
		"a round trip from the target": {time.Minute, link + "direction: FromTarget, link: {roundTrip: 40ms}}",
			[]string{"faults[0].link.roundTrip", "direction FromTarget", "exchange target and from"}},
		"two of one pair": {2 * time.Minute, partition + "target: {members: [member-1]}}, {name: b, type: Link, at: 35s, duration: 5s, target: {members: [member-0]}, link: {roundTrip: 1ms}}",
			[]string{"faults[1].at", "fault a on packets between member-1 and member-0", "38s"}},
		"one pair of a selection": {2 * time.Minute, partition + "target: {select: Leader}}, {name: b, type: Partition, at: 30s, duration: 5s, target: {members: [bank]}, from: [notary-0]}",
			[]string{"faults[1].at", "fault a on packets between selected members and bank"}},
		"a pair beside a selection":  {2 * time.Minute, partition + "target: {select: Leader}, from: [bank]}, {name: b, type: Partition, at: 30s, duration: 5s, target: {members: [x]}, from: [bank]}", nil},
		"a link":                     {time.Minute, link + `from: [member-1], link: {roundTrip: 40ms, jitter: 4ms, lossPercent: "0.5", bandwidth: 1M}}`, nil},
		"a link of the highest loss": {time.Minute, link + `link: {roundTrip: 2500ms, lossPercent: "50", bandwidth: 8k}}`, nil},
		"a link without strength":    {time.Minute, link + "}", []string{"faults[0].link", "must be set with type Link"}},
		"a partition with a link": {time.Minute, partition + "target: {members: [member-0]}, link: {roundTrip: 40ms}}",
			[]string{"faults[0].link", "belongs to type Link"}},
		"a link of a database": {time.Minute, "{name: a, type: Link, at: 30s, duration: 5s, target: {databases: [db]}, link: {roundTrip: 1ms}}",
			[]string{"faults[0].target.databases", "type Link, which is between members"}},
		"links between followers": {time.Minute, "{name: a, type: Link, at: 30s, duration: 5s, target: {select: Followers}, link: {roundTrip: 1ms}}",
			[]string{"faults[0].from", "impaired twice"}},
		"links of followers to others": {time.Minute, "{name: a, type: Link, at: 30s, duration: 5s, target: {select: Followers}, from: [bank], link: {roundTrip: 1ms}}", nil},
		"a round trip of no time":      {time.Minute, link + "link: {roundTrip: 0s}}", []string{"faults[0].link.roundTrip", "above 0"}},
		"a long round trip":            {time.Minute, link + "link: {roundTrip: 2501ms}}", []string{"faults[0].link.roundTrip", "2.501s", "half of the duration"}},
		"jitter beyond the round trip": {time.Minute, link + "link: {roundTrip: 1ms, jitter: 2ms}}", []string{"faults[0].link.jitter", "2ms", "must not exceed"}},
		"a link that adds nothing":     {time.Minute, link + "link: {jitter: 0s}}", []string{"faults[0].link", "must add a round trip"}},
		"no loss":                      {time.Minute, link + `link: {lossPercent: "0"}}`, []string{"faults[0].link.lossPercent", "above 0"}},
		"a loss of most":               {time.Minute, link + `link: {lossPercent: "51"}}`, []string{"faults[0].link.lossPercent", "51", "at most 50"}},
		"hardly a bandwidth":           {time.Minute, link + `link: {bandwidth: "7999"}}`, []string{"faults[0].link.bandwidth", "7999", "at least 8k"}},
		"pressure":                     {time.Minute, pressure + "{cpuPercent: 100, memoryHeadroom: 64Mi}}", nil},
		"little headroom":              {time.Minute, pressure + "{memoryHeadroom: 63Mi}}", []string{"faults[0].pressure.memoryHeadroom", "63Mi", "at least 64Mi"}},
		"pressure without its strength": {time.Minute, "{name: a, type: Pressure, at: 30s, duration: 5s, target: {members: [member-0]}}",
			[]string{"faults[0].pressure", "must be set with type Pressure"}},
		"the pressure of a kill": {time.Minute, "{name: a, type: Kill, at: 30s, target: {members: [member-0]}, pressure: {cpuPercent: 1}}",
			[]string{"faults[0].pressure", "belongs to type Pressure"}},
		"kills of containers of two members": {2 * time.Minute, "{name: a, type: Kill, at: 30s, kill: {of: Container}, target: {members: [member-0/execution]}}, " +
			"{name: b, type: Kill, at: 40s, kill: {of: Container}, target: {members: [member-0], databases: [db]}}", nil},
		"a kill of a container with a duration": {time.Minute, "{name: a, type: Kill, at: 30s, duration: 5s, kill: {of: Container}, target: {members: [m]}}",
			[]string{"faults[0].duration", "Kubernetes decides when"}},
		"an eviction with a duration": {time.Minute, "{name: a, type: Evict, at: 30s, duration: 5s, target: {members: [m]}}", []string{"faults[0].duration", "Kubernetes decides when"}},
		"an eviction of a kill":       {time.Minute, "{name: a, type: Evict, at: 30s, kill: {of: Pod}, target: {members: [m]}}", []string{"faults[0].kill", "belongs to type Kill"}},
		"an eviction":                 {time.Minute, "{name: a, type: Evict, at: 30s, target: {members: [member-0]}}", nil},
		"a kill of a container's pod": {time.Minute, "{name: a, type: Kill, at: 30s, kill: {of: Pod}, target: {members: [member-0/execution]}}",
			[]string{"faults[0].target.members[0]", "member-0/execution", "all containers of its pod"}},
		"a container killed twice": {time.Hour, "{name: a, type: Kill, at: 10m20s, kill: {of: Container}, target: {members: [m]}}, " +
			"{name: b, type: Kill, at: 30s, kill: {of: Container}, target: {members: [m]}}", []string{"faults[1].at", "30s", "fault a on m", "kill.of Process"}},
		"a container killed twice, later": {time.Hour, "{name: a, type: Kill, at: 60s, kill: {of: Container}, target: {members: [m]}}, " +
			"{name: b, type: Kill, at: 11m, kill: {of: Container}, target: {members: [m]}}", nil},
		"a full disk":      {time.Minute, "{name: a, type: FillDisk, at: 30s, duration: 5s, target: {members: [member-0], databases: [db]}}", nil},
		"a disk with room": {time.Minute, "{name: a, type: FillDisk, at: 30s, duration: 5s, target: {members: [member-0]}, fillDisk: {leaveFree: 0}}", nil},
		"less than a full disk": {time.Minute, "{name: a, type: FillDisk, at: 30s, duration: 5s, target: {members: [member-0]}, fillDisk: {leaveFree: -1}}",
			[]string{"faults[0].fillDisk.leaveFree", "-1", "not be negative"}},
		"the disk of a pause": {time.Minute, "{name: a, type: Pause, at: 30s, duration: 5s, target: {members: [member-0]}, fillDisk: {}}",
			[]string{"faults[0].fillDisk", "belongs to type FillDisk"}},
		"a slow database":   {time.Minute, slow + "{pause: 10ms}}", nil},
		"a slower database": {time.Minute, slow + "{pause: 900ms}}", nil},
		"hardly a pause":    {time.Minute, slow + "{pause: 9ms}}", []string{"faults[0].slowDatabase.pause", "9ms", "from 10ms to 900ms"}},
		"hardly a database": {time.Minute, slow + "{pause: 901ms}}", []string{"faults[0].slowDatabase.pause", "901ms", "from 10ms to 900ms"}},
		"a database of no pause": {time.Minute, "{name: a, type: SlowDatabase, at: 30s, duration: 5s, target: {databases: [db]}}",
			[]string{"faults[0].slowDatabase", "must be set with type SlowDatabase"}},
		"a slow member": {time.Minute, "{name: a, type: SlowDatabase, at: 30s, duration: 5s, target: {members: [member-0]}, slowDatabase: {pause: 1s}}",
			[]string{"faults[0].target", "only databases", "faults[0].slowDatabase.pause"}},
		"a slow database and a member": {time.Minute, "{name: a, type: SlowDatabase, at: 30s, duration: 5s, target: {members: [m], databases: [db]}, slowDatabase: {pause: 10ms}}",
			[]string{"faults[0].target", "only databases"}},
		"an interval too long": {62 * time.Second, valid, []string{"faults", "1m2s", "last 31s", "multiple of 5s"}},
		"no intervals":         {97 * time.Second, valid, []string{"faults", "1m37s", "multiple of 5s"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := ValidateFaults(faultWorkload(t, c.window, c.faults), field.NewPath("workload")).ToAggregate(); err != nil {
				got = err.Error()
			}
			if (got == "") != (c.want == nil) {
				t.Errorf("error %q, want %q", got, c.want)
			}
			for _, part := range c.want {
				if !strings.Contains(got, part) {
					t.Errorf("error %q lacks %q", got, part)
				}
			}
		})
	}
}

// TestValidatePairs generates two partitions at one time, and checks that they are refused if, and only if, they share a target or a pair.
func TestValidatePairs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	members := []string{"a", "b", "c", "d"}
	refused := 0
	for range 2000 {
		var faults []v1alpha1.Fault
		hits := map[string]int{}
		for _, name := range []string{"x", "y"} {
			random.Shuffle(len(members), func(i, k int) { members[i], members[k] = members[k], members[i] })
			targets := 1 + random.IntN(2)
			f := v1alpha1.Fault{Name: name, Type: v1alpha1.FaultPartition, Target: v1alpha1.FaultTarget{Members: slices.Clone(members[:targets])},
				From: slices.Clone(members[targets : targets+random.IntN(3)])}
			faults = append(faults, f)
			others := members[targets:]
			if len(f.From) > 0 {
				others = f.From
			}
			for _, target := range f.Target.Members {
				hits[target]++
				for _, other := range others {
					hits[min(target, other)+max(target, other)]++
				}
			}
		}
		want := slices.Max(slices.Collect(maps.Values(hits))) > 1
		if errs := validateOverlaps(faults, field.NewPath("faults")); (len(errs) > 0) != want {
			t.Errorf("%+v: %v, want an error: %t", faults, errs, want)
		}
		if want {
			refused++
		}
	}
	t.Logf("%d of 2000 refused", refused)
}

func TestFaultSegments(t *testing.T) {
	w := faultWorkload(t, 2*time.Minute, "{name: b, type: Kill, at: 90s, target: {members: [m]}}, {name: a, type: Kill, at: 47s, target: {members: [m]}}")
	want := []measurement.Segment{{Name: "baseline", Seconds: 45, OfferedPerSecond: 10, Constant: true},
		{Name: "faults", FromSeconds: 45, Seconds: 75, OfferedPerSecond: 10}}
	if got := SegmentsOf(w); !reflect.DeepEqual(got, want) {
		t.Errorf("the segments are %+v, want %+v", got, want)
	}
	w.Load.RatePerSecond, w.Load.Profile = nil, []v1alpha1.LoadSegment{{Name: "own", Duration: v1alpha1.Seconds{Duration: 2 * time.Minute}}}
	if got := SegmentsOf(w); len(got) != 1 || got[0].Name != "own" {
		t.Errorf("with a profile the segments are %+v", got)
	}
}

// TestBindLinks checks the values that the agents get.
func TestBindLinks(t *testing.T) {
	w := protocol.WorkloadFile[any]{Observe: []protocol.ObservedEndpoint{{Member: "bank", CommandsURL: "http://a"}}}
	want := measurement.Fault{Name: "a", Type: "Link", Member: "bank", Targets: "bank", AtSeconds: 30, DurationSeconds: 5,
		Direction: "ToTarget", Link: measurement.LinkFault{RoundTripMicros: 1500, JitterMicros: 500, LossPercent: 0.5, BitsPerSecond: 1_000_000}}
	faults := `{name: a, type: Link, at: 30s, duration: 5s, target: {members: [bank]}, direction: ToTarget, link: {roundTrip: 1.5ms, jitter: 500us, lossPercent: "0.5", bandwidth: 1M}}`
	if err := BindFaults(&w, faultWorkload(t, time.Minute, faults).Faults, "banks", field.NewPath("workload")); err != nil || w.Faults[0] != want {
		t.Errorf("the faults are %+v, %v", w.Faults, err)
	}
}

// TestBindPartitions checks that the fault of each target names both sides. That of a leader names no targets: it is cut off alone.
func TestBindPartitions(t *testing.T) {
	partition := measurement.Fault{Name: "a", Type: "Partition", AtSeconds: 30, DurationSeconds: 5, Targets: "bank,notary", From: "z,w"}
	bank, notary, leader := partition, partition, partition
	bank.Member, notary.Member = "bank", "notary"
	leader.Member, leader.Role, leader.Targets, leader.From = "bank", "Leader", "", ""
	for target, want := range map[string][]measurement.Fault{"target: {members: [bank, notary]}, from: [z, w]": {bank, notary}, "target: {select: Leader, members: [bank]}": {leader}} {
		t.Run(target, func(t *testing.T) {
			w := protocol.WorkloadFile[any]{Observe: []protocol.ObservedEndpoint{{Member: "bank", CommandsURL: "http://a"}, {Member: "notary", CommandsURL: "http://b"}}}
			err := BindFaults(&w, faultWorkload(t, time.Minute, "{name: a, type: Partition, at: 30s, duration: 5s, direction: Both, "+target+"}").Faults, "banks", field.NewPath("workload"))
			if err != nil || !reflect.DeepEqual(w.Faults, want) {
				t.Errorf("the faults are %+v, %v", w.Faults, err)
			}
		})
	}
}

// TestBindStrength checks the values that the agent gets.
func TestBindStrength(t *testing.T) {
	for text, want := range map[string]measurement.Fault{
		"type: Pressure, pressure: {cpuPercent: 80, memoryHeadroom: 64Mi}": {Type: "Pressure", Pressure: measurement.PressureFault{CPUPercent: 80, MemoryHeadroomBytes: 64 << 20}},
		"type: FillDisk": {Type: "FillDisk"},
		"type: FillDisk, fillDisk: {leaveFree: 1Gi}":      {Type: "FillDisk", FillDisk: measurement.FillDiskFault{LeaveFreeBytes: 1 << 30}},
		"type: SlowDatabase, slowDatabase: {pause: 12ms}": {Type: "SlowDatabase", SlowDatabase: measurement.SlowDatabaseFault{PauseMicros: 12_000}},
	} {
		t.Run(text, func(t *testing.T) {
			w := protocol.WorkloadFile[any]{Observe: []protocol.ObservedEndpoint{{Member: "bank", CommandsURL: "http://a"}}}
			want.Name, want.Member, want.AtSeconds, want.DurationSeconds = "a", "bank", 30, 5
			faults := "{name: a, at: 30s, duration: 5s, target: {members: [bank]}, " + text + "}"
			if err := BindFaults(&w, faultWorkload(t, time.Minute, faults).Faults, "banks", field.NewPath("workload")); err != nil || w.Faults[0] != want {
				t.Errorf("the faults are %+v, %v", w.Faults, err)
			}
		})
	}
}

// TestBindPodFaults checks the pods of the faults, and the rights of the workers on them.
func TestBindPodFaults(t *testing.T) {
	observe := []protocol.ObservedEndpoint{{Member: "member-0", CommandsURL: "http://a"}, {Member: "member-1", CommandsURL: "http://b"},
		{Member: "banks-db", Kind: measurement.KindDatabase, CommandsURL: "http://c"}}
	target := " at: 30s, target: {members: [member-1], databases: [db]}}"
	for fault, want := range map[string]string{
		"{name: a, type: Kill,": "Kill||", "{name: a, type: Kill, kill: {of: Process},": "Kill||", "{name: a, type: Kill, kill: {of: Container},": "Kill|Container|",
		"{name: a, type: Kill, kill: {of: Pod},": "Kill|Pod|banks-member-1-0 banks-db-0", "{name: a, type: Evict,": "Evict||banks-member-1-0 banks-db-0",
	} {
		t.Run(fault, func(t *testing.T) {
			w := protocol.WorkloadFile[any]{Observe: observe}
			workload := faultWorkload(t, time.Minute, fault+target)
			if err := BindFaults(&w, workload.Faults, "banks", field.NewPath("workload")); err != nil {
				t.Fatal(err)
			}
			f := w.Faults[0]
			pods := strings.TrimSpace(f.Pod + " " + w.Faults[1].Pod)
			if got := fmt.Sprintf("%s|%s|%s", f.Type, f.Kill, pods); got != want {
				t.Errorf("the fault is %s, want %s", got, want)
			}
			run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "r"}}
			var rights []string
			for _, rule := range buildWorkerAccess(run, append(w.Faults, w.Faults...))[1].(*rbacv1.Role).Rules[2:] {
				rights = append(rights, fmt.Sprint(rule.Resources, rule.ResourceNames, rule.Verbs))
			}
			wantRights := ""
			if pods != "" {
				wantRights = "[pods] [banks-member-1-0 banks-db-0] [get delete]; [pods/eviction] [banks-member-1-0 banks-db-0] [create]"
			}
			if got := strings.Join(rights, "; "); got != wantRights {
				t.Errorf("the rights are %s, want %s", got, wantRights)
			}
			refused := ValidatePodFaults(workload, false, field.NewPath("workload")).ToAggregate()
			if allowed := ValidatePodFaults(workload, true, field.NewPath("workload")); len(allowed) > 0 || (refused != nil) != (pods != "") ||
				refused != nil && !strings.Contains(refused.Error(), "workload.faults[0]: Forbidden: ends pods, which the operator may not grant: set --pod-faults (faults.pods in the chart)") {
				t.Errorf("refused with %v, allowed with %v", refused, allowed)
			}
		})
	}
}

func TestBindFaults(t *testing.T) {
	observe := []protocol.ObservedEndpoint{{Member: "member-0", CommandsURL: "http://a"}, {Member: "member-0/consensus"}, {Member: "notary-0", CommandsURL: "http://b"},
		{Member: "banks-db", Kind: measurement.KindDatabase, CommandsURL: "http://c"}}
	for name, c := range map[string]struct {
		target  string
		want    []measurement.Fault
		err     string
		unknown bool
	}{
		"a member and a database": {"{members: [notary-0], databases: [db]}", []measurement.Fault{
			{Name: "a", Type: "Pause", Member: "notary-0", AtSeconds: 30, DurationSeconds: 5},
			{Name: "a", Type: "Pause", Member: "banks-db", Kind: "Database", AtSeconds: 30, DurationSeconds: 5}}, "", false},
		"a database that is not known yet": {"{databases: [pg]}", []measurement.Fault{
			{Name: "a", Type: "Pause", Member: "banks-pg", Kind: "Database", AtSeconds: 30, DurationSeconds: 5}}, "", true},
		"the leader": {"{select: Leader, members: [member-0, notary-0]}", []measurement.Fault{
			{Name: "a", Type: "Pause", Member: "member-0", Role: "Leader", AtSeconds: 30, DurationSeconds: 5},
			{Name: "a", Type: "Pause", Member: "notary-0", Role: "Leader", AtSeconds: 30, DurationSeconds: 5}}, "", false},
		"a proposer": {"{select: Proposer, members: [member-0]}", []measurement.Fault{
			{Name: "a", Type: "Pause", Member: "member-0", Role: "Proposer", AtSeconds: 30, DurationSeconds: 5}}, "", false},
		"a database among the members": {"{members: [db]}", nil, `faults[0].target.members[0]: Unsupported value: "db": supported values: "member-0", "notary-0"`, false},
		"a program without an agent":   {"{members: [member-0/consensus]}", nil, `"member-0/consensus": supported values`, false},
		"a database with its network":  {"{databases: [banks-db]}", nil, `faults[0].target.databases[0]: Unsupported value: "banks-db": supported values: "db"`, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := protocol.WorkloadFile[any]{Observe: observe}
			if c.unknown {
				w.Observe = observe[:3]
			}
			err := BindFaults(&w, faultWorkload(t, time.Minute, "{name: a, type: Pause, at: 30s, duration: 5s, target: "+c.target+"}").Faults, "banks", field.NewPath("workload"))
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Fatalf("error %v, want %q", err, c.err)
			}
			if err == nil && !reflect.DeepEqual(w.Faults, c.want) {
				t.Errorf("the faults are %+v", w.Faults)
			}
		})
	}
}
