package protocol

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func readWorkloadText(t *testing.T, text string) (*WorkloadFile[any], error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "workload.json")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return ReadWorkloadFile[any](path)
}

func TestReadWorkload(t *testing.T) {
	got, err := readWorkloadText(t, `{"targets":[{"name":"member-0"}],"load":{"model":"Closed"},"measure":{"warmUpSeconds":30,"windowSeconds":60,"drainSeconds":10},"unit":"flows",
		"observe":[{"member":"member-0","kind":"Member","role":"Party","url":"http://host:9101/metrics","commandsURL":"http://host:9201","everySeconds":5,"series":[{"name":"pending","unit":"transactions","metric":"pool","kind":"Gauge"}]}]}`)
	want := &WorkloadFile[any]{Targets: []Target{{Name: "member-0"}}, Load: &OfferedLoad{Model: "Closed"},
		Measure: MeasureTimes{WarmUpSeconds: 30, WindowSeconds: 60, DrainSeconds: 10}, Unit: "flows",
		Observe: []ObservedEndpoint{{"member-0", "Member", "Party", "http://host:9101/metrics", "http://host:9201", 5, []ObservedSeries{{"pending", "transactions", "pool", SeriesGauge}}}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v, %v", got, err)
	}
	start := time.Unix(1000, 0)
	if from, to := got.Measure.WindowStart(start), got.Measure.WindowEnd(start); from != time.Unix(1030, 0) || to != time.Unix(1090, 0) {
		t.Errorf("the window is from %v to %v", from, to)
	}
}

func TestReadWorkloadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{`: "parse workload",
		`{"measure":{"warmUpSeconds":-1,"windowSeconds":1}}`: "measure.warmUpSeconds: -1 is negative",
		`{"measure":{"drainSeconds":-1,"windowSeconds":1}}`:  "measure.drainSeconds: -1 is negative",
		`{"measure":{}}`: "measure.windowSeconds: 0 is not positive",
		`{"measure":{"windowSeconds":1,"calibrationSeconds":61}}`:                                                                    "measure.calibrationSeconds: 61 is not from 0 to 60",
		`{"measure":{"windowSeconds":1.5}}`:                                                                                          "measure.windowSeconds",
		`{"measure":{"windowSeconds":12,"intervalSeconds":5}}`:                                                                       "measure.intervalSeconds: 5 s do not divide the window of 12 s",
		`{"measure":{"windowSeconds":12,"stopsEarly":true}}`:                                                                         "measure.stopsEarly: requires measure.intervalSeconds",
		`{"measure":{"windowSeconds":1},"load":{"arrivals":"Bursty","seed":1}}`:                                                      `load.arrivals: "Bursty" is not Poisson`,
		`{"measure":{"windowSeconds":1},"load":{"arrivals":"Poisson"}}`:                                                              "load.seed: is required",
		`{"measure":{"windowSeconds":1},"observe":[{"member":"a","url":"u"},{"member":"b"}]}`:                                        "observe[1]: member and url",
		`{"measure":{"windowSeconds":1},"observe":[{"member":"a","url":"u","everySeconds":-1}]}`:                                     "observe[0].everySeconds: -1 is negative",
		`{"measure":{"windowSeconds":1},"observe":[{"member":"a","url":"u","series":[{}]}]}`:                                         "observe[0].series[0].name: is required",
		`{"measure":{"windowSeconds":1},"observe":[{"member":"a","url":"u","series":[{"name":"n"}]}]}`:                               "series[0].metric: is required",
		`{"measure":{"windowSeconds":1},"observe":[{"member":"a","url":"u","series":[{"name":"n","metric":"m","kind":"Summary"}]}]}`: `kind: "Summary" is neither Counter nor Gauge`,
	} {
		if _, err := readWorkloadText(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}
