package members_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/internal/platform/members"
)

func TestValidateJVMArgs(t *testing.T) {
	for arg, want := range map[string]string{
		"-XX:+UseParallelGC": "", "-XX:MaxGCPauseMillis=50": "", "-XX:G1HeapRegionSize=8m": "", "-XX:+HeapDumpOnOutOfMemoryError": "",
		"-XX:CompileThresholdScaling=0.5": "", "-XX:NativeMemoryTracking=summary": "", "-Xmn256m": "", "-Xss512k": "", "-Xlog:gc*=debug": "",
		"-Xlog:gc,safepoint:stdout": "", "-server": "", "--add-opens=java.base/java.nio=ALL-UNNAMED": "", "-Dio.netty.allocator.type=pooled": "",
		"-Djava.net.preferIPv4Stack=true": "", "-Djava.security.egd=file:/dev/./urandom": "", "-Dlsr.x": "",

		"-Xmx2g": "members.heap", "-XX:MaxRAMPercentage=80": "members.heap", "-XX:MinHeapSize=1g": "members.heap", "-XX:+AggressiveHeap": "members.heap",

		"-javaagent:/x.jar": "tunes", "-agentlib:jdwp=transport=dt_socket": "tunes", "-agentpath:/x.so": "tunes", "@/tmp/args": "tunes", "-jar": "tunes",
		"-cp": "tunes", "-Xbootclasspath/a:/x.jar": "tunes", "-Xrunjdwp:x": "tunes", "-Xdebug": "tunes", "-Xloggc:/x": "tunes", "-Xlog:gc:file=/x": "tunes",
		"-Xlog:gc:x": "tunes", "-XX:OnOutOfMemoryError=reboot": "tunes", "-XX:OnError=gcore": "tunes", "-XX:Flags=x": "tunes", "-XX:VMOptionsFile=x": "tunes",
		"-XX:ErrorFile=/data/x": "tunes", "-XX:HeapDumpPath=/data": "tunes", "-XX:StartFlightRecording=filename=/x": "tunes", "-XX:AllocateHeapAt=/x": "tunes",
		"-XX:+UseG1GC -Da=b": "no spaces", "-XX:+UseG1GC\n-Da=b": "no spaces", "UseG1GC": "dash", "": "dash",
		"-Dcorda.devMode=true": "io.netty.", "-Dcapsule.jvm.args=-javaagent:x.jar": "io.netty.", "-Dconfig.file=/x": "io.netty.",
		"-Dcom.sun.management.jmxremote.port=1": "io.netty.", "-Dlog4j2.configurationFile=http://x/": "io.netty.", "-Dio.netty.x=$(HOME)": "tunes",
	} {
		t.Run(arg, func(t *testing.T) {
			errs := members.ValidateJVMArgs([]string{"-server", arg}, field.NewPath("jvmArgs"), "lsr.")
			switch {
			case want == "" && len(errs) > 0:
				t.Errorf("refused: %v", errs)
			case want != "" && (len(errs) != 1 || errs[0].Field != "jvmArgs[1]" || !strings.Contains(errs[0].Detail, want)):
				t.Errorf("got %v, want one error of jvmArgs[1] with %q", errs, want)
			}
		})
	}
}
