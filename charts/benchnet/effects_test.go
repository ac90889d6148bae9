package benchnet_test

// Objects and paths that several effects lead to.
const (
	deployment        = "Deployment benchnet-operator"
	podSpec           = ".spec.template.spec"
	container         = podSpec + ".containers[0]"
	allArgs           = container + ".args[*]"
	monitored         = "serviceMonitor: {enabled: true}"
	networksMonitored = "monitoring: {podMonitors: {enabled: true}}"
	ruled             = "monitoring: {rules: {enabled: true}}"
	twoReplicas       = "replicas: 2"
	sidecar           = "dashboards: {enabled: true}"
	importing         = "dashboards: {grafanaOperator: {enabled: true}}"
	imported          = "GrafanaDashboard benchnet-dashboard-run"

	dashboardOfRuns = "ConfigMap benchnet-dashboard-run"

	scraped       = `--metrics-scrapers=[{"namespaceSelector":{},"podSelector":{"matchExpressions":[{"key":"app.kubernetes.io/name","operator":"In","values":["prometheus"]}]}}] `
	defaultArgs   = "--leader-elect --metrics-bind-address=:8443 " + scraped + "--health-probe-bind-address=:8081 "
	defaultImages = "--image-registry=ghcr.io/benchnet --image-version=0.1.0 "
	lastArgs      = "--zap-log-level=info --max-concurrent-reconciles=4"
)

// effects of the values, by path.
var effects = map[string]effect{
	"image.registry":   {set: "image: {registry: example.com/lab}", object: deployment, path: container + ".image", want: "example.com/lab/operator:0.1.0"},
	"image.name":       {set: "image: {name: manager}", object: deployment, path: container + ".image", want: "ghcr.io/benchnet/manager:0.1.0"},
	"image.tag":        {set: "image: {tag: 0.2.0}", object: deployment, path: container + ".image", want: "ghcr.io/benchnet/operator:0.2.0"},
	"image.digest":     {set: "image: {digest: '" + digest + "'}", object: deployment, path: container + ".image", want: "ghcr.io/benchnet/operator@" + digest},
	"image.pullPolicy": {set: "image: {pullPolicy: Never}", object: deployment, path: container + ".imagePullPolicy", want: "Never"},
	"imagePullSecrets": {set: "imagePullSecrets: [{name: a}, {name: b}]", object: deployment, path: podSpec + ".imagePullSecrets[*].name", want: "a b"},
	"imageOverrides": {set: "imageOverrides: {corda: example.com/corda:4.10}", object: deployment, path: allArgs,
		want: defaultArgs + defaultImages + "--image-override=corda=example.com/corda:4.10 " + lastArgs},

	"nameOverride":     {set: "nameOverride: tool", object: "Deployment benchnet-tool-operator"},
	"fullnameOverride": {set: "fullnameOverride: lab", object: "Deployment lab-operator"},
	"extraLabels":      {set: "extraLabels: {team: a}", object: deployment, path: ".metadata.labels.team", want: "a"},
	"extraAnnotations": {set: "extraAnnotations: {note: b}", object: deployment, path: ".metadata.annotations.note", want: "b"},

	"watchNamespaces": {set: "watchNamespaces: [team-a, team-b]", object: deployment, path: allArgs,
		want: "--leader-elect --metrics-bind-address=:8443 --metrics-authorization=false " + scraped + "--health-probe-bind-address=:8081 " + defaultImages +
			"--watch-namespace=team-a --watch-namespace=team-b " + lastArgs},
	"excludeNamespaces": {set: "excludeNamespaces: [team-a]", object: deployment, path: allArgs,
		want: defaultArgs + defaultImages + "--exclude-namespace=team-a " + lastArgs},
	"crds.install": {set: "crds: {install: false}", object: "CustomResourceDefinition benchmarkruns.benchnet.dev"},

	"replicas":                           {set: twoReplicas, object: deployment, path: ".spec.replicas", want: "2"},
	"revisionHistoryLimit":               {set: "revisionHistoryLimit: 7", object: deployment, path: ".spec.revisionHistoryLimit", want: "7"},
	"leaderElection.enabled":             {set: "leaderElection: {enabled: false}", object: deployment, path: container + ".args[0]", want: "--metrics-bind-address=:8443"},
	"podDisruptionBudget.enabled":        {given: twoReplicas, set: "podDisruptionBudget: {enabled: false}", object: "PodDisruptionBudget benchnet-operator"},
	"podDisruptionBudget.maxUnavailable": {given: twoReplicas, set: "podDisruptionBudget: {maxUnavailable: 50%}", object: "PodDisruptionBudget benchnet-operator", path: ".spec.maxUnavailable", want: "50%"},

	"logLevel":                {set: "logLevel: debug", object: deployment, path: container + ".args[6]", want: "--zap-log-level=debug"},
	"maxConcurrentReconciles": {set: "maxConcurrentReconciles: 9", object: deployment, path: container + ".args[7]", want: "--max-concurrent-reconciles=9"},
	"extraArgs":               {set: "extraArgs: [--zap-devel]", object: deployment, path: allArgs, want: defaultArgs + defaultImages + lastArgs + " --zap-devel"},
	"extraEnv":                {set: "extraEnv: [{name: GOGC, value: '50'}]", object: deployment, path: container + ".env[?(@.name=='GOGC')].value", want: "50"},

	"maxNetworks":             {set: "maxNetworks: 2", object: deployment, path: allArgs, want: defaultArgs + defaultImages + lastArgs + " --max-networks=2"},
	"maxNetworksPerNamespace": {set: "maxNetworksPerNamespace: 2", object: deployment, path: allArgs, want: defaultArgs + defaultImages + lastArgs + " --max-networks-per-namespace=2"},
	"kueue":                   {set: "kueue: Honour", object: deployment, path: allArgs, want: defaultArgs + defaultImages + lastArgs + " --kueue=Honour"},

	"metrics.port":                   {set: "metrics: {port: 9000}", object: "Service benchnet-metrics", path: ".spec.ports[0].port", want: "9000"},
	"metrics.access":                 {set: "metrics: {access: Anyone}", object: deployment, path: container + ".args[2]", want: "--metrics-authorization=false"},
	"serviceMonitor.enabled":         {set: monitored, object: "ServiceMonitor benchnet-operator"},
	"serviceMonitor.interval":        {given: monitored, set: "serviceMonitor: {enabled: true, interval: 15s}", object: "ServiceMonitor benchnet-operator", path: ".spec.endpoints[0].interval", want: "15s"},
	"serviceMonitor.labels":          {given: monitored, set: "serviceMonitor: {enabled: true, labels: {release: p}}", object: "ServiceMonitor benchnet-operator", path: ".metadata.labels.release", want: "p"},
	"monitoring.podMonitors.enabled": {set: networksMonitored, object: "PodMonitor benchnet-networks"},
	"monitoring.podMonitors.interval": {given: networksMonitored, set: "monitoring: {podMonitors: {enabled: true, interval: 15s}}", object: "PodMonitor benchnet-networks",
		path: ".spec.podMetricsEndpoints[0].interval", want: "15s"},
	"monitoring.podMonitors.labels": {given: networksMonitored, set: "monitoring: {podMonitors: {enabled: true, labels: {release: p}}}", object: "PodMonitor benchnet-networks",
		path: ".metadata.labels.release", want: "p"},
	"monitoring.podMonitors.sampleLimit": {given: networksMonitored, set: "monitoring: {podMonitors: {enabled: true, sampleLimit: 5}}", object: "PodMonitor benchnet-networks",
		path: ".spec.sampleLimit", want: "5"},
	"monitoring.podMonitors.labelLimit": {given: networksMonitored, set: "monitoring: {podMonitors: {enabled: true, labelLimit: 5}}", object: "PodMonitor benchnet-networks",
		path: ".spec.labelLimit", want: "5"},
	"monitoring.podMonitors.labelNameLengthLimit": {given: networksMonitored, set: "monitoring: {podMonitors: {enabled: true, labelNameLengthLimit: 5}}", object: "PodMonitor benchnet-networks",
		path: ".spec.labelNameLengthLimit", want: "5"},
	"monitoring.podMonitors.labelValueLengthLimit": {given: networksMonitored, set: "monitoring: {podMonitors: {enabled: true, labelValueLengthLimit: 5}}", object: "PodMonitor benchnet-networks",
		path: ".spec.labelValueLengthLimit", want: "5"},
	"monitoring.podMonitors.bodySizeLimit": {given: networksMonitored, set: "monitoring: {podMonitors: {enabled: true, bodySizeLimit: 5MB}}", object: "PodMonitor benchnet-networks",
		path: ".spec.bodySizeLimit", want: "5MB"},
	"monitoring.rules.enabled": {set: ruled, object: "PrometheusRule benchnet-alerts"},
	"monitoring.rules.labels":  {given: ruled, set: "monitoring: {rules: {enabled: true, labels: {release: p}}}", object: "PrometheusRule benchnet-recording", path: ".metadata.labels.release", want: "p"},
	"networkPolicies":          {set: "networkPolicies: None", object: deployment, path: container + ".args[1]", want: "--network-policies=None"},
	"networkPolicy.enabled":    {set: "networkPolicy: {enabled: false}", object: "NetworkPolicy benchnet-operator"},
	"networkPolicy.scrapers":   {set: "networkPolicy: {scrapers: [{podSelector: {matchLabels: {app: p}}}]}", object: "NetworkPolicy benchnet-operator", path: ".spec.ingress[0].from[0].podSelector.matchLabels.app", want: "p"},
	"serviceAccount.create":    {set: "serviceAccount: {create: false, name: theirs}", object: "ServiceAccount benchnet-operator"},
	"serviceAccount.name":      {set: "serviceAccount: {name: ours}", object: "ClusterRoleBinding benchnet-operator", path: ".subjects[0].name", want: "ours"},
	"serviceAccount.annotations": {set: "serviceAccount: {annotations: {role: r}}", object: "ServiceAccount benchnet-operator", path: ".metadata.annotations.role",
		want: "r"},
	"rbac.create":    {set: "rbac: {create: false}", object: "ClusterRole benchnet-operator"},
	"rbac.userRoles": {set: "rbac: {userRoles: false}", object: "ClusterRole benchnet-runner"},
	"rbac.aggregate": {set: "rbac: {aggregate: false}", object: "ClusterRole benchnet-runner",
		path: ".metadata.labels.rbac\\.authorization\\.k8s\\.io/aggregate-to-edit", want: ""},

	"admissionPolicy.enabled": {set: "admissionPolicy: {enabled: false}", object: "ValidatingAdmissionPolicy benchnet-deletion-guard"},

	"dashboards.enabled":                                   {set: sidecar, object: dashboardOfRuns},
	"dashboards.namespace":                                 {given: sidecar, set: "dashboards: {enabled: true, namespace: grafana}", object: dashboardOfRuns, path: ".metadata.namespace", want: "grafana"},
	"dashboards.label.key":                                 {given: sidecar, set: "dashboards: {enabled: true, label: {key: find, value: me}}", object: dashboardOfRuns, path: ".metadata.labels.find", want: "me"},
	"dashboards.label.value":                               {given: sidecar, set: "dashboards: {enabled: true, label: {value: yes-please}}", object: dashboardOfRuns, path: ".metadata.labels.grafana_dashboard", want: "yes-please"},
	"dashboards.annotations":                               {given: sidecar, set: "dashboards: {enabled: true, annotations: {grafana_folder: a}}", object: dashboardOfRuns, path: ".metadata.annotations.grafana_folder", want: "a"},
	"dashboards.grafanaOperator.enabled":                   {set: "dashboards: {grafanaOperator: {enabled: true}}", object: imported},
	"dashboards.grafanaOperator.instanceSelector":          {given: importing, set: "dashboards: {grafanaOperator: {enabled: true, instanceSelector: {matchLabels: {a: b}}}}", object: imported, path: ".spec.instanceSelector.matchLabels.a", want: "b"},
	"dashboards.grafanaOperator.allowCrossNamespaceImport": {given: importing, set: "dashboards: {grafanaOperator: {enabled: true, allowCrossNamespaceImport: false}}", object: imported, path: ".spec.allowCrossNamespaceImport", want: "false"},
	"dashboards.grafanaOperator.folder":                    {given: importing, set: "dashboards: {grafanaOperator: {enabled: true, folder: Ledgers}}", object: imported, path: ".spec.folder", want: "Ledgers"},
	"dashboards.grafanaOperator.resyncPeriod":              {given: importing, set: "dashboards: {grafanaOperator: {enabled: true, resyncPeriod: 1h}}", object: imported, path: ".spec.resyncPeriod", want: "1h"},

	"resources":         {set: "resources: {limits: {memory: 1Gi}}", object: deployment, path: container + ".resources.limits.memory", want: "1Gi"},
	"podAnnotations":    {set: "podAnnotations: {note: b}", object: deployment, path: ".spec.template.metadata.annotations.note", want: "b"},
	"podLabels":         {set: "podLabels: {team: a}", object: deployment, path: ".spec.template.metadata.labels.team", want: "a"},
	"nodeSelector":      {set: "nodeSelector: {pool: tools}", object: deployment, path: podSpec + ".nodeSelector.pool", want: "tools"},
	"tolerations":       {set: "tolerations: [{key: tools, operator: Exists}]", object: deployment, path: podSpec + ".tolerations[0].key", want: "tools"},
	"affinity":          {set: "affinity: {podAffinity: {note: x}}", object: deployment, path: podSpec + ".affinity.podAffinity.note", want: "x"},
	"priorityClassName": {set: "priorityClassName: high", object: deployment, path: podSpec + ".priorityClassName", want: "high"},
	"topologySpreadConstraints": {
		set:    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]",
		object: deployment, path: podSpec + ".topologySpreadConstraints[0].labelSelector.matchLabels.app\\.kubernetes\\.io/instance", want: "benchnet"},
}

const digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
