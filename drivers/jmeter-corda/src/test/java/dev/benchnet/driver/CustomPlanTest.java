package dev.benchnet.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import dev.benchnet.driver.jmeter.JMeterPlan;
import dev.benchnet.driver.jmeter.SampleRecorder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
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

    /** JMeter's engine counts what a published plan does as its author counts it, and finds the data set beside the plan. */
    @Test
    void operationsOfAPublishedPlanAreCountedOnce() throws Exception {
        Path file = Files.copy(Paths.get("src/test/resources/published.jmx"), folder.resolve("plan.jmx"));
        Files.write(folder.resolve("users.csv"), Arrays.asList("alice,1", "bob,2"));
        List<String> requested = Collections.synchronizedList(new ArrayList<>());
        HttpServer server = serveRedirectsAndImages(requested);
        Map<String, String> properties = new HashMap<>();
        properties.put("test.port", Integer.toString(server.getAddress().getPort()));
        Path jtl = folder.resolve("samples.jtl");

        SampleRecorder samples = new SampleRecorder();
        JMeterPlan plan = JMeterPlan.load(Paths.get("target/driver/jmeter"), file, properties).recordTo(jtl, samples);
        Drive.runUntilStopped(plan, samples, folder.resolve("stop-plan"));
        server.stop(0);

        assertEquals(Arrays.asList("profile of alice", "catalogue", "buy", "profile of bob", "catalogue", "buy"), column(jtl, "label"));
        assertTrue(requested.containsAll(Arrays.asList("/users/1", "/users/2", "/here", "/image.png")), "requested: " + requested);
    }

    /** Redirects /moved, and answers everything else with a page that has an image. */
    private static HttpServer serveRedirectsAndImages(List<String> requested) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            requested.add(path);
            byte[] page = "<html><body><img src=\"/image.png\"></body></html>".getBytes(StandardCharsets.UTF_8);
            boolean moved = path.equals("/moved");
            exchange.getResponseHeaders().add(moved ? "Location" : "Content-Type", moved ? "/here" : "text/html");
            exchange.sendResponseHeaders(moved ? 302 : 200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        server.start();
        return server;
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
        return column(jtl, "responseCode").stream().filter(responseCode::equals).count();
    }

    private static List<String> column(Path jtl, String name) throws IOException {
        List<String> rows = Files.readAllLines(jtl);
        int column = Arrays.asList(rows.get(0).split(",")).indexOf(name);
        return rows.stream().skip(1).map(row -> row.split(",")[column]).collect(Collectors.toList());
    }
}
