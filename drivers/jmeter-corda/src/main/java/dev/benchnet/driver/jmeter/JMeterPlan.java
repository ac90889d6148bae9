package dev.benchnet.driver.jmeter;

import dev.benchnet.driver.FatalException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.jmeter.JMeter;
import org.apache.jmeter.engine.JMeterEngineException;
import org.apache.jmeter.engine.StandardJMeterEngine;
import org.apache.jmeter.reporters.ResultCollector;
import org.apache.jmeter.save.SaveService;
import org.apache.jmeter.services.FileServer;
import org.apache.jmeter.util.JMeterUtils;
import org.apache.jorphan.collections.HashTree;

/** A test plan on JMeter's engine, without JMeter's user interface and command line. */
public final class JMeterPlan {
    /** The maximum delay until a reduction of the remaining time is noticed. */
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

    private final HashTree tree;
    private final StandardJMeterEngine engine = new StandardJMeterEngine();

    private JMeterPlan(HashTree tree) {
        this.tree = tree;
    }

    /**
     * Reads a plan and sets the properties for its {@code ${__P(name)}}. Relative paths in it, such as those of data
     * sets, are relative to its directory. The home directory contains bin/jmeter.properties and
     * bin/saveservice.properties.
     */
    public static JMeterPlan load(Path jmeterHome, Path file, Map<String, String> properties) {
        JMeterUtils.setJMeterHome(jmeterHome.toString());
        JMeterUtils.loadJMeterProperties(jmeterHome.resolve("bin/jmeter.properties").toString());
        JMeterUtils.initLocale();
        properties.forEach(JMeterUtils::setProperty);
        try {
            SaveService.loadProperties();
            FileServer.getFileServer().setBaseForScript(file.toFile());
            return new JMeterPlan(JMeter.convertSubTree(SaveService.loadTree(file.toFile()), true));
        } catch (IOException | IllegalArgumentException e) {
            throw new FatalException("read JMeter plan " + file, e);
        }
    }

    /** Lets the collector write every sample to a CSV file. */
    public JMeterPlan recordTo(Path jtl, ResultCollector collector) {
        collector.setFilename(jtl.toString());
        tree.add(tree.getArray()[0], collector);
        return this;
    }

    public void start() {
        engine.configure(tree);
        try {
            engine.runTest();
        } catch (JMeterEngineException e) {
            throw new FatalException("start JMeter", e);
        }
    }

    /**
     * Waits until every thread of the plan has ended. Returns false when no time is left and threads remain. The
     * remaining time may change meanwhile.
     */
    public boolean awaitEnd(Supplier<Duration> left) throws InterruptedException {
        while (true) {
            Duration timeLeft = left.get();
            try {
                engine.awaitTermination(timeLeft.compareTo(POLL_INTERVAL) < 0 ? timeLeft : POLL_INTERVAL);
                return true;
            } catch (TimeoutException e) {
                if (timeLeft.compareTo(POLL_INTERVAL) <= 0) {
                    return false;
                }
            } catch (ExecutionException e) {
                throw new FatalException("run JMeter", e.getCause());
            }
        }
    }

    /** Interrupts the threads that remain. */
    public void stop() {
        engine.stopTest(true);
    }
}
