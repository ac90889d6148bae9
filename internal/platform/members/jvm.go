package members

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/sizing"
)

var (
	// jvmArgPattern matches the arguments that tune a JVM. Their values are switches, numbers and a few words, so that none
	// can name a path, an agent or further arguments. A number as the value of OnError or ErrorFile does no harm.
	jvmArgPattern = regexp.MustCompile(`^(` +
		`-XX:[+-][A-Za-z0-9]+|` +
		`-XX:[A-Za-z0-9]+=[0-9]+([.][0-9]+)?[kKmMgGtT]?|` +
		`-XX:(NativeMemoryTracking|ShenandoahGCMode|ShenandoahGCHeuristics)=[a-z]+|` +
		`-X(mn|ss)[0-9]+[kKmMgG]?|-X(batch|comp|int|mixed|noclassgc|rs)|-Xshare:(auto|off|on)|-server|-verbose:gc|` +
		`-Xlog:[a-z0-9+*=,]+(:(stdout|stderr))?|` +
		`--add-(exports|modules|opens)=[A-Za-z0-9._,/=-]+)$`)
	// heapArgPattern matches the arguments that set the heap.
	heapArgPattern = regexp.MustCompile(`^(-Xm[sx]|-XX:(Initial|Max|Min)HeapSize|-XX:[A-Za-z]+RAM|-XX:.AggressiveHeap)`)
	// propertyPattern matches a system property and its value.
	propertyPattern = regexp.MustCompile(`^-D([A-Za-z0-9_.-]+)(=[A-Za-z0-9_.,:/+-]*)?$`)
	// commonProperties are the beginnings of the system properties that any JVM may have.
	commonProperties = []string{"io.netty.", "java.net.preferIPv", "java.security.egd", "java.util.concurrent.ForkJoinPool.common.", "jdk.nio.", "sun.nio."}
)

// MachineSettings returns the settings of the machine of a member that is a JVM, each with its source: the field, or the size with a note.
func MachineSettings(spec *v1alpha1.MembersSpec, note string) []v1alpha1.DerivedSetting {
	machine := sizing.MachineOf(spec)
	size := fmt.Sprintf("size %s%s", machine.Size, note)
	return []v1alpha1.DerivedSetting{
		{Name: "heap", Value: machine.Heap.String(), Source: platform.SettingSource(spec.Heap != nil, "spec.members.heap", size)},
		{Name: "cores", Value: machine.Cores.String(), Source: platform.SettingSource(spec.Cores != nil, "spec.members.cores", size)},
		{Name: "memory", Value: machine.Memory.String(), Source: platform.SettingSource(spec.Memory != nil, "spec.members.memory", size)},
	}
}

// ValidateJVMArgs rejects arguments that set the heap and those that do not tune a JVM. The properties are the beginnings of
// system properties that may be set in addition to common ones.
func ValidateJVMArgs(args []string, path *field.Path, properties ...string) field.ErrorList {
	properties = append(properties, commonProperties...)
	var errs field.ErrorList
	for i, arg := range args {
		property := propertyPattern.FindStringSubmatch(arg)
		switch {
		case heapArgPattern.MatchString(arg):
			errs = append(errs, field.Invalid(path.Index(i), arg, "must not set the heap: use members.heap"))
		case jvmArgPattern.MatchString(arg):
		case property != nil && slices.ContainsFunc(properties, func(start string) bool { return strings.HasPrefix(property[1], start) }):
		default:
			errs = append(errs, field.Invalid(path.Index(i), arg, fmt.Sprintf("must be one JVM argument that begins with a dash and tunes the JVM, no spaces: "+
				"-XX: with + or - or a number, -Xmn, -Xss, -Xlog to stdout, -verbose:gc, -server, --add-opens, --add-exports, --add-modules, "+
				"or -D with a property that begins with %s", strings.Join(properties, ", "))))
		}
	}
	return errs
}
