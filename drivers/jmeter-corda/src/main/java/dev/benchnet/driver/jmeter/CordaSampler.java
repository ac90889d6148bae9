package dev.benchnet.driver.jmeter;

import dev.benchnet.driver.FlowClients;
import dev.benchnet.driver.StartGate;
import dev.benchnet.driver.FlowSample;
import dev.benchnet.driver.load.Phase;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.jmeter.protocol.java.sampler.AbstractJavaSamplerClient;
import org.apache.jmeter.protocol.java.sampler.JavaSamplerContext;
import org.apache.jmeter.samplers.SampleResult;

/** The sampler of benchmark.jmx: each sample is one flow of one client. */
public final class CordaSampler extends AbstractJavaSamplerClient {
    /** Static because JMeter creates the samplers itself, by class name. */
    private static volatile StartGate gate;
    private static volatile List<String> labels;

    private FlowClients clients;

    /** Sets what all samplers share. The labels are those of the kinds of operations. */
    public static void setGate(StartGate newGate, List<String> newLabels) {
        labels = newLabels;
        gate = newGate;
    }

    @Override
    public SampleResult runTest(JavaSamplerContext context) {
        try {
            if (clients == null) {
                clients = gate.awaitStart();
            }
            FlowSample outcome = clients.runNext(context.getJMeterContext().getThreadNum());
            if (outcome != null) {
                return toSampleResult(outcome);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        context.getJMeterContext().getThread().stop();
        return null; // JMeter records nothing then.
    }

    private SampleResult toSampleResult(FlowSample outcome) {
        SampleResult sample = new SampleResult();
        long elapsed = TimeUnit.NANOSECONDS.toMillis(outcome.endNanos - outcome.startNanos);
        sample.setStampAndTime(System.currentTimeMillis() - elapsed, elapsed);
        String label = labels.get(outcome.kind);
        sample.setSampleLabel(outcome.phase == Phase.WarmUp ? label + " (warm-up)" : label);
        sample.setSuccessful(outcome.error == null);
        sample.setResponseCode(outcome.error == null ? "200" : outcome.error);
        sample.setResponseMessage(outcome.error == null ? "OK" : "");
        return sample;
    }
}
