package plan

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/run/loadgen"
)

// scheduledPlatform has two members and a notary with a scheduling of its own, and a genesis Job. The notary may have a
// dedicated database instance.
type scheduledPlatform struct {
	fakePlatform
	notary   *v1alpha1.Scheduling
	database *v1alpha1.DatabaseOverride
}

func (s scheduledPlatform) DatabaseRequirements(in platform.Input, t platform.Topology) platform.DatabaseRequirements {
	requirements := s.fakePlatform.DatabaseRequirements(in, t)
	if s.database != nil {
		requirements.DedicatedInstances = []platform.DedicatedInstance{{Name: "notary", Members: []string{"notary"}, Override: s.database}}
	}
	return requirements
}

func (s scheduledPlatform) Topology(n *v1alpha1.BenchmarkNetwork) platform.Topology {
	t := s.fakePlatform.Topology(n)
	notary := n.Spec.WithNodeOverride(&v1alpha1.NodeOverride{Scheduling: s.notary})
	t.Members = append(t.Members, platform.Member{Name: "notary", Spec: notary})
	return t
}

func (scheduledPlatform) BuildMembers(in platform.Input, t platform.Topology) ([]client.Object, error) {
	var all []client.Object
	for _, m := range t.Members {
		labels := naming.MemberLabels(in.Network, m.Name)
		all = append(all, &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: m.Name, Labels: labels},
			Spec: appsv1.StatefulSetSpec{Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{Affinity: &corev1.Affinity{PodAffinity: in.Databases[m.Name].Affinity}}}}})
	}
	return all, nil
}

func (scheduledPlatform) BuildGenesis(platform.Input, platform.Topology) (platform.Genesis, error) {
	return platform.Genesis{Secrets: []string{"net-identity"}, JobObjects: []client.Object{&batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "net-genesis"}}}}, nil
}

func parseScheduling(t *testing.T, text string) *v1alpha1.Scheduling {
	t.Helper()
	s := &v1alpha1.Scheduling{}
	if err := yaml.UnmarshalStrict([]byte(text), s); err != nil {
		t.Fatal(err)
	}
	return s
}

// podSpecs returns the pods of a plan by role, and those of a run with the given workers.scheduling.
func podSpecs(t *testing.T, p *Plan, workers *v1alpha1.Scheduling) map[string]corev1.PodTemplateSpec {
	t.Helper()
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "run"}}
	run.Spec.Workload.Workers = v1alpha1.Workers{Count: 1, Scheduling: workers}
	objects, err := loadgen.BuildObjects(run, loadgen.Driver{}, "agent:1", nil)
	if err != nil {
		t.Fatal(err)
	}
	byRole := map[string]corev1.PodTemplateSpec{}
	err = pods.EditTemplates(append(p.objectsWithPods(), objects...), func(owner client.Object, template *corev1.PodTemplateSpec) error {
		role := owner.GetName()
		for _, purpose := range []string{"setup", "reset"} {
			if strings.Contains(role, "-"+purpose+"-") {
				role = purpose
			}
		}
		byRole[role] = *template
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return byRole
}

// TestSchedulingReachesPods sets each field on one role at a time and lists the roles whose pods get it.
func TestSchedulingReachesPods(t *testing.T) {
	podTerm := "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: {matchLabels: {app: other}}}]}"
	fields := []struct {
		name, text string
		// betweenPods marks a constraint relative to other pods, which Jobs and databases do not inherit.
		betweenPods bool
		isSet       func(*corev1.PodSpec) bool
	}{
		{"nodeSelector", "nodeSelector: {pool: metal}", false, func(s *corev1.PodSpec) bool { return s.NodeSelector["pool"] == "metal" }},
		{"tolerations", "tolerations: [{key: metal, operator: Exists, effect: NoExecute, tolerationSeconds: 7}]", false, func(s *corev1.PodSpec) bool {
			return len(s.Tolerations) == 1 && s.Tolerations[0].Key == "metal" && *s.Tolerations[0].TolerationSeconds == 7
		}},
		{"nodeAffinity", "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}",
			false, func(s *corev1.PodSpec) bool { return s.Affinity != nil && s.Affinity.NodeAffinity != nil }},
		{"podAffinity", "affinity: {podAffinity: " + podTerm + "}", true, func(s *corev1.PodSpec) bool {
			return s.Affinity != nil && s.Affinity.PodAffinity != nil && len(s.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution) == 1
		}},
		{"podAntiAffinity", "affinity: {podAntiAffinity: " + podTerm + "}", true, func(s *corev1.PodSpec) bool {
			return s.Affinity != nil && s.Affinity.PodAntiAffinity != nil && len(s.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution) == 1
		}},
		{"topologySpreadConstraints", "topologySpreadConstraints: [{maxSkew: 2, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]", true,
			func(s *corev1.PodSpec) bool {
				return len(s.TopologySpreadConstraints) == 1 && s.TopologySpreadConstraints[0].MaxSkew == 2
			}},
		{"priorityClassName", "priorityClassName: high", false, func(s *corev1.PodSpec) bool { return s.PriorityClassName == "high" }},
		{"runtimeClassName", "runtimeClassName: kata", false, func(s *corev1.PodSpec) bool { return s.RuntimeClassName != nil && *s.RuntimeClassName == "kata" }},
		{"schedulerName", "schedulerName: volcano", false, func(s *corev1.PodSpec) bool { return s.SchedulerName == "volcano" }},
	}
	members, jobs := []string{"member-0", "member-1"}, []string{"net-genesis", "reset", "setup"}
	roles := map[string]struct {
		set             func(in *Input, s *v1alpha1.Scheduling)
		own, inheriting []string
	}{
		"members": {func(in *Input, s *v1alpha1.Scheduling) { in.Network.Spec.Members.Scheduling = s },
			append(slices.Clone(members), "notary"), append(slices.Clone(jobs), "net-db")},
		"notary":    {func(in *Input, s *v1alpha1.Scheduling) { in.Platform = scheduledPlatform{notary: s} }, []string{"notary"}, nil},
		"databases": {func(in *Input, s *v1alpha1.Scheduling) { in.Network.Spec.Database.Managed.Scheduling = s }, []string{"net-db"}, nil},
		"workers":   {func(*Input, *v1alpha1.Scheduling) {}, []string{"run"}, nil},
	}
	for role, r := range roles {
		for _, f := range fields {
			t.Run(role+" "+f.name, func(t *testing.T) {
				s := parseScheduling(t, f.text)
				p := mustBuild(t, newInput(func(in *Input) {
					in.Platform = scheduledPlatform{}
					in.EpochRecord = in.buildEpochRecord(Epoch{ID: "b"})
					r.set(in, s)
				}))
				var workers *v1alpha1.Scheduling
				if role == "workers" {
					workers = s
				}
				want := slices.Clone(r.own)
				if !f.betweenPods {
					want = append(want, r.inheriting...)
				}
				templates := podSpecs(t, p, workers)
				if len(templates) != 8 {
					t.Fatalf("there are %d roles, want 8", len(templates))
				}
				for name, template := range templates {
					if got := f.isSet(&template.Spec); got != slices.Contains(want, name) {
						t.Errorf("pods of %s have it: %t; %s in the spec should reach %v", name, got, f.name, want)
					}
				}
			})
		}
	}
}

func TestSchedulingOfRoleReplacesThatOfMembers(t *testing.T) {
	p := mustBuild(t, newInput(func(in *Input) {
		in.Network.Spec.Members.Scheduling = parseScheduling(t, "nodeSelector: {pool: members}")
		in.Network.Spec.Database.Managed.Scheduling = parseScheduling(t, "{}")
		in.Platform = scheduledPlatform{notary: parseScheduling(t, "nodeSelector: {pool: notary}")}
	}))
	templates := podSpecs(t, p, nil)
	for name, want := range map[string]string{"member-0": "members", "notary": "notary", "net-db": "", "run": "", "setup": "members"} {
		if got := templates[name].Spec.NodeSelector["pool"]; got != want {
			t.Errorf("pods of %s select pool %q, want %q", name, got, want)
		}
	}
}

// TestSchedulingOfDedicatedInstance checks whose scheduling a dedicated instance has.
func TestSchedulingOfDedicatedInstance(t *testing.T) {
	for name, test := range map[string]struct {
		databases, own string
		// want are the pools of the instance of the members and of the dedicated one.
		want [2]string
	}{
		"its own":              {"nodeSelector: {pool: databases}", "nodeSelector: {pool: notary}", [2]string{"databases", "notary"}},
		"only its own":         {"", "nodeSelector: {pool: notary}", [2]string{"members", "notary"}},
		"any node":             {"nodeSelector: {pool: databases}", "{}", [2]string{"databases", ""}},
		"that of databases":    {"nodeSelector: {pool: databases}", "", [2]string{"databases", "databases"}},
		"that of members":      {"", "", [2]string{"members", "members"}},
		"databases, otherwise": {"{}", "nodeSelector: {pool: notary}", [2]string{"", "notary"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := mustBuild(t, newInput(func(in *Input) {
				in.Network.Spec.Members.Scheduling = parseScheduling(t, "nodeSelector: {pool: members}")
				override := &v1alpha1.DatabaseOverride{}
				if test.own != "" {
					override.Scheduling = parseScheduling(t, test.own)
				}
				if test.databases != "" {
					in.Network.Spec.Database.Managed.Scheduling = parseScheduling(t, test.databases)
				}
				in.Platform = scheduledPlatform{database: override}
			}))
			templates := podSpecs(t, p, nil)
			got := [2]string{templates["net-db"].Spec.NodeSelector["pool"], templates["net-notary-pg"].Spec.NodeSelector["pool"]}
			if got != test.want {
				t.Errorf("the servers select pools %q, want %q", got, test.want)
			}
		})
	}
}

// TestNotaryApartFromSharedHosts checks that a notary with a dedicated instance need not share the host of members.
func TestNotaryApartFromSharedHosts(t *testing.T) {
	p := mustBuild(t, newInput(func(in *Input) {
		in.Platform = scheduledPlatform{database: &v1alpha1.DatabaseOverride{}}
		in.Network.Spec.Members.Scheduling = parseScheduling(t, "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "+
			"[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {benchnet.dev/member: notary}}}, "+
			"{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {benchnet.dev/database-instance: net-notary-pg}}}]}}")
		in.Network.Spec.Database.Topology, in.Network.Spec.Database.MembersPerInstance = v1alpha1.TopologyPerHost, new(int32(3))
	}))
	templates := podSpecs(t, p, nil)
	for member, want := range map[string]string{"member-0": "net-db-0", "member-1": "net-db-0", "notary": ""} {
		template := templates[member]
		if got := requiredHost(&template); got != want {
			t.Errorf("%s must run on the host of %q, want %q", member, got, want)
		}
	}
}

func TestSchedulingOnSharedHosts(t *testing.T) {
	antiAffinity := func(key, value string) string {
		return "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {" +
			key + ": " + value + "}}}]}}"
	}
	spread := func(skew string) string {
		return "topologySpreadConstraints: [{maxSkew: " + skew + ", topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, " +
			"labelSelector: {matchLabels: {benchnet.dev/network: net}}}]"
	}
	for name, c := range map[string]struct{ text, want string }{
		"apart from other networks":    {antiAffinity("benchnet.dev/network", "other"), ""},
		"apart from a member":          {antiAffinity("benchnet.dev/member", "member-1"), "spec.members.scheduling.affinity.podAntiAffinity"},
		"apart from the server":        {antiAffinity("benchnet.dev/database-instance", "net-db-0"), "spec.members.scheduling.affinity.podAntiAffinity"},
		"apart from another server":    {antiAffinity("benchnet.dev/database-instance", "net-db-9"), ""},
		"fewer on a host than members": {spread("1"), "spec.members.scheduling.topologySpreadConstraints"},
		"as many on a host as pods":    {spread("3"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Build(newInput(func(in *Input) {
				in.Platform = scheduledPlatform{}
				in.Network.Spec.Members.Scheduling = parseScheduling(t, c.text)
				in.Network.Spec.Database.Topology, in.Network.Spec.Database.MembersPerInstance = v1alpha1.TopologyPerHost, new(int32(2))
			}))
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "PerHost") {
					t.Errorf("the error is %v, want one of %s", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, term := range podSpecs(t, p, nil)["member-0"].Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
				if term.LabelSelector.MatchLabels[v1alpha1.LabelDatabaseInstance] == "net-db-0" {
					return
				}
			}
			t.Error("the member should still run on the host of its database")
		})
	}
}

// TestDatabasesApartFromSharedHosts checks that with database.managed.scheduling the members of an instance share a host, and
// that the instance need not run on it.
func TestDatabasesApartFromSharedHosts(t *testing.T) {
	apart := func(member string) string {
		return "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {" +
			member + "}}}]}}"
	}
	for name, c := range map[string]struct{ members, want string }{
		"the members of an instance": {apart("benchnet.dev/member: member-1"), "podAntiAffinity"},
		"the instances":              {apart("benchnet.dev/database-instance: net-db-0"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Build(newInput(func(in *Input) {
				in.Platform = scheduledPlatform{}
				in.Network.Spec.Members.Scheduling = parseScheduling(t, c.members)
				in.Network.Spec.Database.Managed.Scheduling = parseScheduling(t, "nodeSelector: {pool: databases}")
				in.Network.Spec.Database.Topology, in.Network.Spec.Database.MembersPerInstance = v1alpha1.TopologyPerHost, new(int32(2))
			}))
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("the error is %v, want one of %s", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			templates := podSpecs(t, p, nil)
			if templates["net-db-0"].Spec.NodeSelector["pool"] != "databases" || templates["member-0"].Spec.NodeSelector["pool"] != "" {
				t.Error("the node selector should be on the databases only")
			}
			for member, want := range map[string]bool{"member-0": true, "member-1": true, "notary": false} {
				for _, term := range templates[member].Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
					other := templates["member-0"]
					if got := selectorMatches(term.LabelSelector, &other); got != want {
						t.Errorf("%s runs on the host of member-0: %t, want %t", member, got, want)
					}
				}
			}
		})
	}
}

func TestPodTemplateReachesAllPods(t *testing.T) {
	in := newInput(func(in *Input) {
		in.Platform = scheduledPlatform{}
		in.EpochRecord = in.buildEpochRecord(Epoch{ID: "b"})
		in.Images.PullSecrets = []string{"operators", "both"}
		in.Network.Spec.ImagePullSecrets = []string{"both", "networks"}
		in.Network.Spec.PodTemplate = &v1alpha1.PodTemplate{Metadata: v1alpha1.PodMetadata{
			Labels: map[string]string{"team": "a", v1alpha1.LabelNetwork: "another"}, Annotations: map[string]string{"example.com/cost": "b"}}}
	})
	p := mustBuild(t, in)
	seen := 0
	err := pods.EditTemplates(p.Objects(), func(owner client.Object, template *corev1.PodTemplateSpec) error {
		seen++
		if template.Labels["team"] != "a" || template.Annotations["example.com/cost"] != "b" {
			t.Errorf("pods of %s have labels %v and annotations %v", owner.GetName(), template.Labels, template.Annotations)
		}
		if _, isJob := owner.(*batchv1.Job); !isJob && template.Labels[v1alpha1.LabelNetwork] != "net" {
			t.Errorf("pods of %s have lost their own label: %v", owner.GetName(), template.Labels)
		}
		var secrets []string
		for _, ref := range template.Spec.ImagePullSecrets {
			secrets = append(secrets, ref.Name)
		}
		if !slices.Equal(secrets, []string{"operators", "both", "networks"}) {
			t.Errorf("pods of %s pull with %v", owner.GetName(), secrets)
		}
		return nil
	})
	if err != nil || seen != 6 {
		t.Errorf("%d templates, want 6 (%v)", seen, err)
	}
	if p.Hash == mustBuild(t, newInput(func(in *Input) { in.Platform = scheduledPlatform{} })).Hash {
		t.Error("the metadata of pods should change the hash")
	}
}
