package dev.benchnet.driver;

import dev.benchnet.driver.jmeter.JMeterPlan;
import dev.benchnet.driver.jmeter.SampleRecorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.jmeter.protocol.java.sampler.AbstractJavaSamplerClient;
import org.apache.jmeter.protocol.java.sampler.JavaSamplerContext;
import org.apache.jmeter.samplers.SampleResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class CustomPlanTest {
    /** Static because JMeter creates the samplers itself, by class name. */
    private static StalledService scenario;
    private static final AtomicInteger STARTED = new AtomicInteger();
    private static final CountDownLatch TEST_ENDS = new CountDownLatch(1);

    @TempDir
    Path folder;

    /** Answers the first requests at once, and the others only after the test. */
    public static final class Service extends AbstractJavaSamplerClient {
        @Override
        public SampleResult runTest(JavaSamplerContext context) {
            SampleResult sample = new SampleResult();
            sample.sampleStart();
            if (STARTED.incrementAndGet() > scenario.answered) {
                try {
                    TEST_ENDS.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            sample.sampleEnd();
            sample.setSuccessful(true);
            sample.setResponseCode("200");
            return sample;
        }
    }

    @Test
    void aStalledServiceLeavesEverySampleOfTheUsersPlanRecorded() throws Exception {
        scenario = StalledService.read();
        Map<String, String> properties = new HashMap<>();
        properties.put("test.arrivals", Integer.toString(scenario.planned()));
        properties.put("jmeter.save.saveservice.autoflush", "true");
        Path jtl = folder.resolve("samples.jtl");
        Path stop = folder.resolve("stop-plan");
        JMeterPlan plan = JMeterPlan.load(Paths.get("target/driver/jmeter"), Paths.get("src/test/resources/arrivals.jmx"), properties);
        SampleRecorder samples = new SampleRecorder();
        plan.recordTo(jtl, samples);
        Thread stopper = new Thread(() -> stopOnceAllHaveArrived(jtl, stop));

        stopper.start();
        Drive.runUntilStopped(plan, samples, stop);
        TEST_ENDS.countDown();
        stopper.join();

        scenario.assertCounts(countRows(jtl, "200"), countRows(jtl, "Unfinished"));
        plan.stop();
    }

    private static void stopOnceAllHaveArrived(Path jtl, Path stop) {
        try {
            while (STARTED.get() < scenario.planned() || countRows(jtl, "200") < scenario.answered) {
                Thread.sleep(10);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            writeStop(stop);
        }
    }

    private static void writeStop(Path stop) {
        try {
            Files.createFile(stop);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long countRows(Path jtl, String responseCode) throws IOException {
        List<String> rows = Files.lines(jtl).collect(Collectors.toList());
        int column = Arrays.asList(rows.get(0).split(",")).indexOf("responseCode");
        return rows.stream().skip(1).filter(row -> row.split(",")[column].equals(responseCode)).count();
    }
}
