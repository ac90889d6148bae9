package database

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
)

//go:embed scripts
var scriptFiles embed.FS

const (
	scriptsPath   = "/etc/benchnet/setup"
	passwordsPath = "/etc/benchnet/passwords"
	templatePath  = "/template"

	passwordsVolume = "passwords"

	// PrepareContainer is the init container of set-up and reset Jobs whose termination message is the server's version.
	PrepareContainer = "prepare"

	// userID is the user of the setup's containers, and the fsGroup, so that all containers share the pod's
	// volumes.
	userID = 10001
)

// setupFiles are the scripts that create the members' schemas, and dropFiles those that remove them.
var (
	setupFiles = []string{"wait", "prepare", "database.sql", "members", "role.sql", "clone", "rename.awk", "share", "grant.sql", "views.sql"}
	dropFiles  = []string{"wait", "drop", "drop.sql"}
)

// buildSetup returns the ConfigMap and the Job that create the members' roles, schemas and tables.
func (in Input) buildSetup(g memberGroup, i Instance) []client.Object {
	return in.buildJob(g, naming.ComponentDatabaseSetup, setupFiles, in.schemaSetupPod(g, i, PrepareContainer))
}

// buildReset returns the ConfigMap and the Job that remove and recreate them. The Job contains the epoch's ID,
// so each epoch has its own.
func (in Input) buildReset(g memberGroup, i Instance) []client.Object {
	pod := in.schemaSetupPod(g, i, PrepareContainer, "drop")
	pod.Containers[0].Env = append(pod.Containers[0].Env, corev1.EnvVar{Name: "BENCHNET_EPOCH", Value: in.Epoch})
	return in.buildJob(g, naming.ComponentDatabaseReset, slices.Concat(setupFiles, dropFiles), pod)
}

// schemaSetupPod returns a pod that runs the given scripts, then the template's containers, and then creates
// the members' schemas.
func (in Input) schemaSetupPod(g memberGroup, i Instance, first ...string) corev1.PodSpec {
	pod := in.baseJobPod(g)
	for _, script := range first {
		pod.InitContainers = append(pod.InitContainers, in.scriptContainer(g, i, script))
	}
	env := in.adminEnv(i)
	members := in.scriptContainer(g, i, "members")
	if template := in.Requirements.Template; len(template) > 0 {
		for _, c := range template {
			pod.InitContainers = append(pod.InitContainers, templateContainer(c, env))
		}
		members.Env = append(members.Env, corev1.EnvVar{Name: "BENCHNET_TEMPLATE", Value: templatePath})
		pod.Volumes = append(pod.Volumes, in.Requirements.Volumes...)
	}
	pod.Containers = []corev1.Container{members}
	return pod
}

// buildTeardown returns the ConfigMap and the Job that remove the roles and schemas. The Job mounts no member's
// password, since those Secrets may be deleted by then.
func (in Input) buildTeardown(g memberGroup, i Instance) []client.Object {
	pod := in.baseJobPod(g)
	drop := in.scriptContainer(g, i, "drop")
	pod.Volumes = slices.DeleteFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == passwordsVolume })
	drop.VolumeMounts = slices.DeleteFunc(drop.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == passwordsVolume })
	pod.Containers = []corev1.Container{drop}
	return in.buildJob(g, naming.ComponentDatabaseTeardown, dropFiles, pod)
}

// buildJob returns a Job of the pod and the ConfigMap of its scripts. A Job is immutable, so its name contains
// a hash of all its input: a change creates another Job. The scripts are idempotent, so running them again is
// harmless.
func (in Input) buildJob(g memberGroup, component naming.Component, files []string, pod corev1.PodSpec) []client.Object {
	data := in.scriptData(g, files)
	if slices.Contains(files, "share") {
		maps.Copy(data, in.sharedTablesData(g))
	}
	name := naming.DatabaseJob(g.name, component, contentHash(data, pod))
	labels := naming.DatabaseJobLabels(in.Network.Name, g.name, component)
	meta := metav1.ObjectMeta{Name: name, Namespace: in.Network.Namespace, Labels: labels}
	for v := range pod.Volumes {
		if pod.Volumes[v].Name == "setup" {
			pod.Volumes[v].ConfigMap.Name = name
		}
	}
	return []client.Object{
		&corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: meta, Data: data},
		&batchv1.Job{
			TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
			ObjectMeta: *meta.DeepCopy(),
			Spec: batchv1.JobSpec{
				BackoffLimit:     ptr.To[int32](3),
				PodFailurePolicy: pods.IgnoreDisruptionsPolicy(),
				Template:         corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod},
			},
		},
	}
}

func (in Input) scriptData(g memberGroup, files []string) map[string]string {
	data := map[string]string{}
	for _, name := range files {
		content, err := scriptFiles.ReadFile("scripts/" + name)
		if err != nil {
			panic(err) // The file is embedded: a missing one is a bug of this package.
		}
		data[name] = string(content)
	}
	var members strings.Builder
	for _, m := range g.members {
		fmt.Fprintf(&members, "%s %s\n", m.Name, in.roleName(m))
	}
	data["members.txt"] = members.String()
	return data
}

// sharedTablesData returns the files that share tables among members of the group; none if it shares none.
func (in Input) sharedTablesData(g memberGroup) map[string]string {
	var sharing strings.Builder
	for _, m := range g.members {
		if in.sharesTables(m) {
			fmt.Fprintf(&sharing, "%s %s\n", m.Name, in.roleName(m))
		}
	}
	if sharing.Len() == 0 {
		return nil
	}
	return map[string]string{"shared.txt": sharing.String(), "shared-prefix.txt": in.Requirements.SharedTables.Prefix + "\n"}
}

func contentHash(parts ...any) string {
	raw, err := json.Marshal(parts)
	if err != nil {
		panic(err) // Strings and API types always encode.
	}
	return fmt.Sprintf("%x", sha256.Sum256(raw))[:8]
}

// baseJobPod returns a pod with the volumes and the security context of all Jobs, but without containers.
func (in Input) baseJobPod(g memberGroup) corev1.PodSpec {
	return corev1.PodSpec{
		RestartPolicy:                corev1.RestartPolicyNever,
		AutomountServiceAccountToken: ptr.To(false),
		EnableServiceLinks:           ptr.To(false),
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot:   ptr.To(true),
			RunAsUser:      ptr.To[int64](userID),
			RunAsGroup:     ptr.To[int64](userID),
			FSGroup:        ptr.To[int64](userID),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Volumes: []corev1.Volume{
			pods.ConfigMapVolume("setup", ""), {Name: passwordsVolume, VolumeSource: corev1.VolumeSource{Projected: in.passwordProjection(g)}},
			pods.EmptyDirVolume("template"), pods.EmptyDirVolume("tmp"),
		},
	}
}

// passwordProjection returns a volume source with one file per member, named after it.
func (in Input) passwordProjection(g memberGroup) *corev1.ProjectedVolumeSource {
	out := &corev1.ProjectedVolumeSource{DefaultMode: ptr.To[int32](0o440)}
	for _, m := range g.members {
		out.Sources = append(out.Sources, corev1.VolumeProjection{Secret: &corev1.SecretProjection{
			LocalObjectReference: corev1.LocalObjectReference{Name: in.passwordSecret(m)},
			Items:                []corev1.KeyToPath{{Key: PasswordKey, Path: m.Name}},
		}})
	}
	return out
}

// scriptContainer returns a container that runs one of the scripts as the instance's administrator.
func (in Input) scriptContainer(g memberGroup, i Instance, script string) corev1.Container {
	env := append(in.adminEnv(i),
		corev1.EnvVar{Name: "BENCHNET_DATABASE", Value: DefaultName},
		corev1.EnvVar{Name: "BENCHNET_OWNER", Value: in.roleOwnerComment()},
		corev1.EnvVar{Name: "BENCHNET_CONNECTIONS", Value: fmt.Sprint(in.totalConnections(g))},
		corev1.EnvVar{Name: "BENCHNET_PASSWORDS", Value: passwordsPath},
	)
	if version := g.spec.ManagedOrDefault().Version; version != 0 {
		env = append(env, corev1.EnvVar{Name: "BENCHNET_POSTGRESQL_VERSION", Value: fmt.Sprint(version)})
	}
	return corev1.Container{
		Name:            script,
		Image:           in.projectImage(),
		ImagePullPolicy: corev1.PullIfNotPresent,
		Command:         []string{"bash", scriptsPath + "/" + script},
		Env:             env,
		Resources:       pods.Resources("50m", "64Mi", "2", "256Mi"),
		SecurityContext: pods.RestrictedSecurityContext(),
		// The pod's status shows the last lines of the log as the reason for a failure.
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		VolumeMounts: []corev1.VolumeMount{
			pods.ReadOnlyMount("setup", scriptsPath), pods.ReadOnlyMount(passwordsVolume, passwordsPath),
			pods.ReadOnlyMount("template", templatePath), pods.WritableMount("tmp", "/tmp"),
		},
	}
}

// templateContainer returns a platform's container with the connection and the template's volumes added.
func templateContainer(c corev1.Container, env []corev1.EnvVar) corev1.Container {
	c = *c.DeepCopy()
	c.Env = append(append([]corev1.EnvVar{}, env...), c.Env...)
	mounted := map[string]bool{}
	for _, m := range c.VolumeMounts {
		mounted[m.MountPath] = true
	}
	for _, m := range []corev1.VolumeMount{{Name: "template", MountPath: templatePath}, {Name: "tmp", MountPath: "/tmp"}} {
		if !mounted[m.MountPath] {
			c.VolumeMounts = append(c.VolumeMounts, m)
		}
	}
	c.TerminationMessagePolicy = cmp.Or(c.TerminationMessagePolicy, corev1.TerminationMessageFallbackToLogsOnError)
	return c
}

// adminEnv returns the environment with which psql connects to the instance as its administrator.
func (in Input) adminEnv(i Instance) []corev1.EnvVar {
	user, secret := corev1.EnvVar{Name: "PGUSER", Value: "postgres"}, naming.DatabaseSuperuserSecret(in.Network.Name)
	env := []corev1.EnvVar{
		{Name: "PGHOST", Value: pods.EscapeExpansions(i.Host)[0]},
		{Name: "PGPORT", Value: fmt.Sprint(i.Port)},
		{Name: "PGDATABASE", Value: DefaultName},
		{Name: "PGCONNECT_TIMEOUT", Value: "10"},
	}
	if external := i.External; external != nil {
		secret = external.AdminSecret.Name
		user = pods.EnvFromSecret("PGUSER", secret, userKey)
		if external.SSLMode != "" {
			env = append(env, corev1.EnvVar{Name: "PGSSLMODE", Value: external.SSLMode})
		}
	}
	return append(env, user, pods.EnvFromSecret("PGPASSWORD", secret, PasswordKey))
}
