package dev.benchnet.driver.jmeter;

import dev.benchnet.driver.FatalException;
import dev.benchnet.driver.FlowError;
import dev.benchnet.driver.corda.Member;
import dev.benchnet.driver.corda.Members;
import dev.benchnet.driver.corda.NamedFlow;
import dev.benchnet.driver.corda.Operation;
import dev.benchnet.driver.corda.FlowPurpose;
import dev.benchnet.driver.corda.workload.Argument;
import dev.benchnet.driver.corda.workload.Directory;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.jmeter.config.Arguments;
import org.apache.jmeter.protocol.java.sampler.AbstractJavaSamplerClient;
import org.apache.jmeter.protocol.java.sampler.JavaSamplerContext;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.util.JMeterUtils;

/**
 * One flow per sample, for custom plans. Parameters: flow (class name), arguments (JSON as in a workload),
 * counterparty (legal name; empty: the next party), target (name of a member; empty: threads take the members in
 * turn).
 */
public final class FlowSampler extends AbstractJavaSamplerClient {
    private static Directory directory;
    private static Members members;

    private Member member;
    private Operation operation;
    /** The parameters of the operation. Functions and variables of JMeter change them between samples. */
    private List<String> prepared;

    @Override
    public Arguments getDefaultParameters() {
        Arguments parameters = new Arguments();
        parameters.addArgument("flow", "net.corda.finance.flows.CashIssueFlow");
        parameters.addArgument("arguments", "[]");
        parameters.addArgument("counterparty", "");
        parameters.addArgument("target", "");
        return parameters;
    }

    /** Prepares the operation of a sample. Not in setupTest, because JMeter only logs its failures. */
    private void prepare(JavaSamplerContext context) {
        String flow = context.getParameter("flow");
        String arguments = context.getParameter("arguments", "[]");
        String counterparty = context.getParameter("counterparty", "");
        String target = context.getParameter("target", "");
        List<String> parameters = Arrays.asList(flow, arguments, counterparty, target);
        if (parameters.equals(prepared)) {
            return;
        }
        connect();
        prepared = null;
        member = target.isEmpty() ? members.memberFor(context.getJMeterContext().getThreadNum()) : members.findByName(target);
        operation = new NamedFlow(flow, Argument.parseList(arguments), directory, counterparty.isEmpty() ? null : counterparty);
        operation.prepare(member);
        prepared = parameters;
    }

    /** Opens one connection to each member, which all samplers of the process share until the process ends. */
    private static synchronized void connect() {
        if (members != null) {
            return;
        }
        try {
            directory = Directory.read(Paths.get(JMeterUtils.getPropDefault("benchnet.workload", "workload.json")));
            members = Members.connect(directory.targets);
            Runtime.getRuntime().addShutdownHook(new Thread(members::close));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FatalException("targets: connect", e);
        }
    }

    @Override
    public SampleResult runTest(JavaSamplerContext context) {
        SampleResult sample = new SampleResult();
        try {
            prepare(context);
            sample.sampleStart();
            operation.start(member, FlowPurpose.Window, 0, false).getReturnValue().get();
            endSample(sample, null);
        } catch (ExecutionException e) {
            endSample(sample, FlowError.of(e.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            endSample(sample, FlowError.of(e));
        } catch (Exception e) { // Kotlin code throws checked exceptions that it does not declare.
            endSample(sample, FlowError.of(e));
        }
        return sample;
    }

    private static void endSample(SampleResult sample, FlowError error) {
        if (sample.getStartTime() == 0) {
            sample.sampleStart(); // It failed before there was anything to time.
        }
        sample.sampleEnd();
        sample.setSuccessful(error == null);
        sample.setResponseCode(error == null ? "200" : error.kind);
        sample.setResponseMessage(error == null ? "OK" : error.message);
    }
}
