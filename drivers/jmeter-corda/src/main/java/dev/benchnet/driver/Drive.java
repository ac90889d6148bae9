package dev.benchnet.driver;

import dev.benchnet.driver.corda.workload.Workload;
import dev.benchnet.driver.jmeter.JMeterPlan;
import dev.benchnet.driver.jmeter.SampleRecorder;
import dev.benchnet.driver.protocol.Barrier;
import dev.benchnet.driver.workload.Worker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.jmeter.reporters.ResultCollector;

/**
 * The program. Without options it applies the workload BENCHNET_WORKLOAD and uses the driver protocol in
 * BENCHNET_DIR. With {@code --plan FILE} it runs a custom JMeter plan as JMeter itself would. See README.md.
 */
public final class Drive {
    private static final Duration NO_END = Duration.ofDays(365);

    private final Options options;
    private final Map<String, String> environment;
    /** The directory that contains bin/drive, which sets this property. */
    private final Path home = Paths.get(System.getProperty("benchnet.home", "."));
    private final Path folder;
    private final Path workloadFile;

    private Drive(Options options, Map<String, String> environment) {
        this.options = options;
        this.environment = environment;
        folder = protocolFolder(environment);
        workloadFile = Paths.get(environment.getOrDefault("BENCHNET_WORKLOAD", "/etc/benchnet/workload/workload.json"));
    }

    public static void main(String[] arguments) {
        // Exit explicitly, because threads of JMeter and of the RPC client may still run.
        System.exit(run(arguments, System.getenv()));
    }

    private static int run(String[] arguments, Map<String, String> environment) {
        Barrier barrier = new Barrier(protocolFolder(environment));
        return barrier.runAndReportFailure(() -> {
            Drive drive = new Drive(Options.parse(arguments), environment);
            Worker worker = Worker.fromEnvironment(environment);
            if (drive.options.plan == null) {
                drive.runWorkload(Workload.read(drive.workloadFile, worker), barrier);
            } else {
                drive.runPlan(worker);
            }
        });
    }

    private static Path protocolFolder(Map<String, String> environment) {
        return Paths.get(environment.getOrDefault("BENCHNET_DIR", "/run/benchnet"));
    }

    private void runWorkload(Workload workload, Barrier barrier) throws InterruptedException {
        Map<String, String> properties = new HashMap<>(options.properties);
        properties.put("benchnet.clients", Integer.toString(workload.workerClients()));
        JMeterPlan plan = loadPlan(home.resolve("plan/benchmark.jmx"), properties);
        if (workload.keepJtl) {
            plan.recordTo(folder.resolve("results.jtl"), new ResultCollector());
        }
        new WorkloadSession(workload, barrier, plan).run();
    }

    private void runPlan(Worker worker) throws InterruptedException {
        Map<String, String> properties = new HashMap<>(options.properties);
        properties.put("benchnet.worker", Integer.toString(worker.index));
        properties.put("benchnet.workers", Integer.toString(worker.count));
        properties.put("benchnet.workload", workloadFile.toString());
        JMeterPlan plan = loadPlan(options.plan, properties);
        SampleRecorder samples = new SampleRecorder();
        if (options.jtl != null) {
            plan.recordTo(options.jtl, samples);
        }
        runUntilStopped(plan, samples, folder.resolve("stop-plan"));
    }

    /** Runs a custom plan until it ends or the file stop exists. Then samples in flight are recorded as unfinished. */
    static void runUntilStopped(JMeterPlan plan, SampleRecorder samples, Path stop) throws InterruptedException {
        plan.start();
        if (!plan.awaitEnd(() -> Files.exists(stop) ? Duration.ZERO : NO_END)) {
            samples.recordUnfinished();
        }
    }

    private JMeterPlan loadPlan(Path file, Map<String, String> properties) {
        return JMeterPlan.load(home.resolve("jmeter"), file, properties);
    }
}
