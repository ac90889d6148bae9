package benchnet_test

// Objects and paths that several effects share.
const (
	operatorDeployment    = "Deployment benchnet-operator"
	podSpecPath           = ".spec.template.spec"
	containerPath         = podSpecPath + ".containers[0]"
	argsPath              = containerPath + ".args[*]"
	enableServiceMonitor  = "monitoring: {serviceMonitor: {enabled: true}}"
	enablePodMonitors     = "monitoring: {podMonitors: {enabled: true}}"
	enableRules           = "monitoring: {rules: {enabled: true}}"
	bindPrometheus        = "monitoring: {prometheus: {serviceAccount: {name: p, namespace: m}}}"
	twoReplicas           = "replicas: 2"
	enableDashboards      = "monitoring: {dashboards: {enabled: true}}"
	enableGrafanaOperator = "monitoring: {dashboards: {grafanaOperator: {enabled: true}}}"
	runGrafanaDashboard   = "GrafanaDashboard benchnet-dashboard-run"

	runDashboardConfigMap = "ConfigMap benchnet-dashboard-run"

	scraperArgs   = `--metrics-scrapers=[{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"monitoring"}},"podSelector":{"matchExpressions":[{"key":"app.kubernetes.io/name","operator":"In","values":["prometheus"]}]}}] `
	defaultArgs   = "--leader-elect --metrics-bind-address=:8443 " + scraperArgs + "--api-server-ports=443,6443 --health-probe-bind-address=:8081 "
	defaultImages = "--image-registry=ghcr.io/benchnet --image-version=0.1.0 "
	lastArgs      = "--zap-log-level=info --max-concurrent-reconciles=4"
)

// valueEffects maps the path of each value to its effect.
var valueEffects = map[string]valueEffect{
	"global.imageRegistry": {set: "global: {imageRegistry: 'example.com:5000'}", object: operatorDeployment, path: containerPath + ".image", want: "example.com:5000/benchnet/operator:0.1.0"},
	"image.registry":       {set: "image: {registry: example.com/lab}", object: operatorDeployment, path: containerPath + ".image", want: "example.com/lab/operator:0.1.0"},
	"image.name":           {set: "image: {name: manager}", object: operatorDeployment, path: containerPath + ".image", want: "ghcr.io/benchnet/manager:0.1.0"},
	"image.tag":            {set: "image: {tag: 0.2.0}", object: operatorDeployment, path: containerPath + ".image", want: "ghcr.io/benchnet/operator:0.2.0"},
	"image.digest":         {set: "image: {digest: '" + testDigest + "'}", object: operatorDeployment, path: containerPath + ".image", want: "ghcr.io/benchnet/operator@" + testDigest},
	"image.pullPolicy":     {set: "image: {pullPolicy: Never}", object: operatorDeployment, path: containerPath + ".imagePullPolicy", want: "Never"},
	"imagePullSecrets":     {set: "imagePullSecrets: [{name: a}, {name: b}]", object: operatorDeployment, path: podSpecPath + ".imagePullSecrets[*].name", want: "a b"},
	"imageOverrides": {set: "imageOverrides: {corda: example.com/corda:4.10}", object: operatorDeployment, path: argsPath,
		want: defaultArgs + defaultImages + "--image-override=corda=example.com/corda:4.10 " + lastArgs},

	"nameOverride":     {set: "nameOverride: tool", object: "Deployment benchnet-tool-operator"},
	"fullnameOverride": {set: "fullnameOverride: lab", object: "Deployment lab-operator"},
	"extraLabels":      {set: "extraLabels: {team: a}", object: operatorDeployment, path: ".metadata.labels.team", want: "a"},
	"extraAnnotations": {set: "extraAnnotations: {note: b}", object: operatorDeployment, path: ".metadata.annotations.note", want: "b"},

	"watchNamespaces": {set: "watchNamespaces: [team-a, team-b]", object: operatorDeployment, path: argsPath,
		want: "--leader-elect --metrics-bind-address=:8443 --metrics-authorization=false " + scraperArgs + "--api-server-ports=443,6443 --health-probe-bind-address=:8081 " + defaultImages +
			"--watch-namespace=team-a --watch-namespace=team-b " + lastArgs},
	"podTemplateDomains": {set: "podTemplateDomains: [example.com]", object: operatorDeployment, path: argsPath,
		want: defaultArgs + defaultImages + "--pod-template-domain=example.com " + lastArgs},
	"networkPods.fixedUserIDs": {set: "networkPods: {fixedUserIDs: Never}", object: operatorDeployment, path: argsPath,
		want: defaultArgs + defaultImages + "--fixed-user-ids=Never " + lastArgs},
	"networkPods.maxLimitRequestRatio": {set: "networkPods: {maxLimitRequestRatio: 1.5}", object: operatorDeployment, path: argsPath,
		want: defaultArgs + defaultImages + "--max-limit-request-ratio=1.5 " + lastArgs},
	"excludeNamespaces": {set: "excludeNamespaces: [team-a]", object: operatorDeployment, path: argsPath,
		want: defaultArgs + defaultImages + "--exclude-namespace=team-a " + lastArgs},
	"crds.install": {set: "crds: {install: false}", object: "CustomResourceDefinition benchmarkruns.benchnet.dev"},

	"replicas":                           {set: twoReplicas, object: operatorDeployment, path: ".spec.replicas", want: "2"},
	"revisionHistoryLimit":               {set: "revisionHistoryLimit: 7", object: operatorDeployment, path: ".spec.revisionHistoryLimit", want: "7"},
	"leaderElection.enabled":             {set: "leaderElection: {enabled: false}", object: operatorDeployment, path: containerPath + ".args[0]", want: "--metrics-bind-address=:8443"},
	"podDisruptionBudget.enabled":        {baseValues: twoReplicas, set: "podDisruptionBudget: {enabled: false}", object: "PodDisruptionBudget benchnet-operator"},
	"podDisruptionBudget.maxUnavailable": {baseValues: twoReplicas, set: "podDisruptionBudget: {maxUnavailable: 50%}", object: "PodDisruptionBudget benchnet-operator", path: ".spec.maxUnavailable", want: "50%"},

	"logLevel":                {set: "logLevel: debug", object: operatorDeployment, path: containerPath + ".args[7]", want: "--zap-log-level=debug"},
	"maxConcurrentReconciles": {set: "maxConcurrentReconciles: 9", object: operatorDeployment, path: containerPath + ".args[8]", want: "--max-concurrent-reconciles=9"},
	"extraArgs":               {set: "extraArgs: [--zap-devel]", object: operatorDeployment, path: argsPath, want: defaultArgs + defaultImages + lastArgs + " --zap-devel"},
	"extraEnv":                {set: "extraEnv: [{name: GOGC, value: '50'}]", object: operatorDeployment, path: containerPath + ".env[?(@.name=='GOGC')].value", want: "50"},

	"maxNetworks":             {set: "maxNetworks: 2", object: operatorDeployment, path: argsPath, want: defaultArgs + defaultImages + lastArgs + " --max-networks=2"},
	"maxNetworksPerNamespace": {set: "maxNetworksPerNamespace: 2", object: operatorDeployment, path: argsPath, want: defaultArgs + defaultImages + lastArgs + " --max-networks-per-namespace=2"},
	"kueue":                   {set: "kueue: Honor", object: operatorDeployment, path: argsPath, want: defaultArgs + defaultImages + lastArgs + " --kueue=Honor"},
	"faults.pods":             {set: "faults: {pods: true}", object: operatorDeployment, path: argsPath, want: defaultArgs + defaultImages + lastArgs + " --pod-faults"},

	"monitoring.metrics.port":                        {set: "monitoring: {metrics: {port: 9000}}", object: "Service benchnet-metrics", path: ".spec.ports[0].port", want: "9000"},
	"monitoring.metrics.access":                      {set: "monitoring: {metrics: {access: Anyone}}", object: operatorDeployment, path: containerPath + ".args[2]", want: "--metrics-authorization=false"},
	"monitoring.enabled":                             {set: "monitoring: {enabled: true}", object: "PrometheusRule benchnet-alerts"},
	"monitoring.labels":                              {baseValues: enablePodMonitors, set: "monitoring: {podMonitors: {enabled: true}, labels: {release: p}}", object: "PodMonitor benchnet-networks", path: ".metadata.labels.release", want: "p"},
	"monitoring.prometheus.url":                      {set: "monitoring: {prometheus: {url: 'http://prometheus.monitoring:9090'}}", object: operatorDeployment, path: argsPath, want: defaultArgs + defaultImages + lastArgs + " --prometheus-url=http://prometheus.monitoring:9090"},
	"monitoring.prometheus.serviceAccount.name":      {set: "monitoring: {prometheus: {serviceAccount: {name: p, namespace: m}}}", object: "ClusterRoleBinding benchnet-metrics-reader"},
	"monitoring.prometheus.serviceAccount.namespace": {baseValues: bindPrometheus, set: "monitoring: {prometheus: {serviceAccount: {name: p, namespace: other}}}", object: "ClusterRoleBinding benchnet-metrics-reader", path: ".subjects[0].namespace", want: "other"},
	"monitoring.alerts":                              {baseValues: enableRules, set: "monitoring: {rules: {enabled: true}, alerts: {BenchnetClockSkew: {threshold: 0.5}}}", object: "PrometheusRule benchnet-alerts", path: ".spec.groups[*].rules[?(@.alert=='BenchnetClockSkew')].expr", want: "abs(member:host_clock_ahead_seconds) > 0.5"},
	"monitoring.serviceMonitor.enabled":              {set: enableServiceMonitor, object: "ServiceMonitor benchnet-operator"},
	"monitoring.serviceMonitor.interval":             {baseValues: enableServiceMonitor, set: "monitoring: {serviceMonitor: {enabled: true, interval: 15s}}", object: "ServiceMonitor benchnet-operator", path: ".spec.endpoints[0].interval", want: "15s"},
	"monitoring.podMonitors.enabled":                 {set: enablePodMonitors, object: "PodMonitor benchnet-networks"},
	"monitoring.podMonitors.interval": {baseValues: enablePodMonitors, set: "monitoring: {podMonitors: {enabled: true, interval: 15s}}", object: "PodMonitor benchnet-networks",
		path: ".spec.podMetricsEndpoints[0].interval", want: "15s"},
	"monitoring.podMonitors.sampleLimit": {baseValues: enablePodMonitors, set: "monitoring: {podMonitors: {enabled: true, sampleLimit: 5}}", object: "PodMonitor benchnet-networks",
		path: ".spec.sampleLimit", want: "5"},
	"monitoring.podMonitors.labelLimit": {baseValues: enablePodMonitors, set: "monitoring: {podMonitors: {enabled: true, labelLimit: 5}}", object: "PodMonitor benchnet-networks",
		path: ".spec.labelLimit", want: "5"},
	"monitoring.podMonitors.labelNameLengthLimit": {baseValues: enablePodMonitors, set: "monitoring: {podMonitors: {enabled: true, labelNameLengthLimit: 5}}", object: "PodMonitor benchnet-networks",
		path: ".spec.labelNameLengthLimit", want: "5"},
	"monitoring.podMonitors.labelValueLengthLimit": {baseValues: enablePodMonitors, set: "monitoring: {podMonitors: {enabled: true, labelValueLengthLimit: 5}}", object: "PodMonitor benchnet-networks",
		path: ".spec.labelValueLengthLimit", want: "5"},
	"monitoring.podMonitors.bodySizeLimit": {baseValues: enablePodMonitors, set: "monitoring: {podMonitors: {enabled: true, bodySizeLimit: 5MB}}", object: "PodMonitor benchnet-networks",
		path: ".spec.bodySizeLimit", want: "5MB"},
	"monitoring.rules.enabled":     {set: enableRules, object: "PrometheusRule benchnet-alerts"},
	"networkPolicies":              {set: "networkPolicies: None", object: operatorDeployment, path: containerPath + ".args[1]", want: "--network-policies=None"},
	"networkPolicy.enabled":        {set: "networkPolicy: {enabled: false}", object: "NetworkPolicy benchnet-operator"},
	"networkPolicy.apiServerPorts": {set: "networkPolicy: {apiServerPorts: [7443]}", object: "NetworkPolicy benchnet-operator", path: ".spec.egress[1].ports[0].port", want: "7443"},
	"networkPolicy.extraEgress":    {set: "networkPolicy: {extraEgress: [{ports: [{port: 9090}]}]}", object: "NetworkPolicy benchnet-operator", path: ".spec.egress[-1:].ports[0].port", want: "9090"},
	"networkPolicy.scrapers":       {set: "networkPolicy: {scrapers: [{podSelector: {matchLabels: {app: p}}}]}", object: "NetworkPolicy benchnet-operator", path: ".spec.ingress[0].from[0].podSelector.matchLabels.app", want: "p"},
	"serviceAccount.create":        {set: "serviceAccount: {create: false, name: theirs}", object: "ServiceAccount benchnet-operator"},
	"serviceAccount.name":          {set: "serviceAccount: {name: ours}", object: "ClusterRoleBinding benchnet-operator", path: ".subjects[0].name", want: "ours"},
	"serviceAccount.annotations": {set: "serviceAccount: {annotations: {role: r}}", object: "ServiceAccount benchnet-operator", path: ".metadata.annotations.role",
		want: "r"},
	"rbac.create":    {set: "rbac: {create: false}", object: "ClusterRole benchnet-operator"},
	"rbac.userRoles": {set: "rbac: {userRoles: false}", object: "ClusterRole benchnet-runner"},
	"rbac.aggregate": {set: "rbac: {aggregate: false}", object: "ClusterRole benchnet-runner",
		path: ".metadata.labels.rbac\\.authorization\\.k8s\\.io/aggregate-to-edit", want: ""},

	"admissionPolicy.enabled": {set: "admissionPolicy: {enabled: false}", object: "ValidatingAdmissionPolicy benchnet-deletion-guard"},

	"monitoring.dashboards.enabled":                                   {set: enableDashboards, object: runDashboardConfigMap},
	"monitoring.dashboards.namespace":                                 {baseValues: enableDashboards, set: "monitoring: {dashboards: {enabled: true, namespace: grafana}}", object: runDashboardConfigMap, path: ".metadata.namespace", want: "grafana"},
	"monitoring.dashboards.label.key":                                 {baseValues: enableDashboards, set: "monitoring: {dashboards: {enabled: true, label: {key: find, value: me}}}", object: runDashboardConfigMap, path: ".metadata.labels.find", want: "me"},
	"monitoring.dashboards.label.value":                               {baseValues: enableDashboards, set: "monitoring: {dashboards: {enabled: true, label: {value: yes-please}}}", object: runDashboardConfigMap, path: ".metadata.labels.grafana_dashboard", want: "yes-please"},
	"monitoring.dashboards.annotations":                               {baseValues: enableDashboards, set: "monitoring: {dashboards: {enabled: true, annotations: {grafana_folder: a}}}", object: runDashboardConfigMap, path: ".metadata.annotations.grafana_folder", want: "a"},
	"monitoring.dashboards.grafanaOperator.enabled":                   {set: "monitoring: {dashboards: {grafanaOperator: {enabled: true}}}", object: runGrafanaDashboard},
	"monitoring.dashboards.grafanaOperator.instanceSelector":          {baseValues: enableGrafanaOperator, set: "monitoring: {dashboards: {grafanaOperator: {enabled: true, instanceSelector: {matchLabels: {a: b}}}}}", object: runGrafanaDashboard, path: ".spec.instanceSelector.matchLabels.a", want: "b"},
	"monitoring.dashboards.grafanaOperator.allowCrossNamespaceImport": {baseValues: enableGrafanaOperator, set: "monitoring: {dashboards: {grafanaOperator: {enabled: true, allowCrossNamespaceImport: false}}}", object: runGrafanaDashboard, path: ".spec.allowCrossNamespaceImport", want: "false"},
	"monitoring.dashboards.grafanaOperator.folder":                    {baseValues: enableGrafanaOperator, set: "monitoring: {dashboards: {grafanaOperator: {enabled: true, folder: Ledgers}}}", object: runGrafanaDashboard, path: ".spec.folder", want: "Ledgers"},
	"monitoring.dashboards.grafanaOperator.resyncPeriod":              {baseValues: enableGrafanaOperator, set: "monitoring: {dashboards: {grafanaOperator: {enabled: true, resyncPeriod: 1h}}}", object: runGrafanaDashboard, path: ".spec.resyncPeriod", want: "1h"},

	"resources":         {set: "resources: {limits: {memory: 1Gi}}", object: operatorDeployment, path: containerPath + ".resources.limits.memory", want: "1Gi"},
	"podAnnotations":    {set: "podAnnotations: {note: b}", object: operatorDeployment, path: ".spec.template.metadata.annotations.note", want: "b"},
	"podLabels":         {set: "podLabels: {team: a}", object: operatorDeployment, path: ".spec.template.metadata.labels.team", want: "a"},
	"nodeSelector":      {set: "nodeSelector: {pool: tools}", object: operatorDeployment, path: podSpecPath + ".nodeSelector.pool", want: "tools"},
	"tolerations":       {set: "tolerations: [{key: tools, operator: Exists}]", object: operatorDeployment, path: podSpecPath + ".tolerations[0].key", want: "tools"},
	"affinity":          {set: "affinity: {podAffinity: {note: x}}", object: operatorDeployment, path: podSpecPath + ".affinity.podAffinity.note", want: "x"},
	"priorityClassName": {set: "priorityClassName: high", object: operatorDeployment, path: podSpecPath + ".priorityClassName", want: "high"},
	"topologySpreadConstraints": {
		set:    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]",
		object: operatorDeployment, path: podSpecPath + ".topologySpreadConstraints[0].labelSelector.matchLabels.app\\.kubernetes\\.io/instance", want: "benchnet"},
}

const testDigest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
