package dev.benchnet.driver.jmeter;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.jmeter.reporters.ResultCollector;
import org.apache.jmeter.sampler.TestAction;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.samplers.SampleMonitor;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.samplers.Sampler;
import org.apache.jmeter.threads.AbstractThreadGroup;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jmeter.threads.PostThreadGroup;
import org.apache.jmeter.threads.SetupThreadGroup;

/**
 * Writes the operations of a custom plan: the samples of its thread groups, without those of setUp and tearDown Thread
 * Groups, and without the sums of Transaction Controllers whose samples are reported too. A Transaction Controller that
 * generates a parent sample is one operation. JMeter reports a sample only when it has ended, so this class also
 * observes when samplers begin: a sample in flight at the stop becomes a failed sample with the response code Unfinished.
 */
public final class SampleRecorder extends ResultCollector implements SampleMonitor {
    /** The response code by which the agent counts a sample as unfinished. */
    static final String UNFINISHED = "Unfinished";
    /** The time that post-processors and assertions have to complete a sample that ended before the stop. */
    private static final long PROCESSING_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final transient Map<Thread, OpenSample> open = new ConcurrentHashMap<>();
    private final transient ReadWriteLock lock = new ReentrantReadWriteLock();
    private transient boolean stopped;

    /** A sample that has begun and is not yet recorded. */
    private static final class OpenSample {
        final String label;
        final long startMillis = System.currentTimeMillis();
        /** 0 until the sampler returns. A sampler that returns no result is never recorded. */
        volatile long endMillis;

        OpenSample(String label) {
            this.label = label;
        }

        boolean endedBefore(long millis) {
            return endMillis != 0 && endMillis < millis;
        }
    }

    public SampleRecorder() {
        getSaveConfig().setSubresults(false); // Redirects and embedded resources are parts of their request.
    }

    @Override
    public void sampleStarting(Sampler sampler) {
        boolean hasResult = !(sampler instanceof TestAction); // It only pauses or stops threads.
        if (hasResult && isThreadOfLoad()) {
            open.put(Thread.currentThread(), new OpenSample(sampler.getName()));
        }
    }

    @Override
    public void sampleEnded(Sampler sampler) {
        OpenSample sample = open.get(Thread.currentThread());
        if (sample != null) {
            sample.endMillis = System.currentTimeMillis();
        }
    }

    private static boolean isThreadOfLoad() {
        AbstractThreadGroup group = JMeterContextService.getContext().getThreadGroup();
        return !(group instanceof SetupThreadGroup || group instanceof PostThreadGroup);
    }

    @Override
    public void sampleOccurred(SampleEvent event) {
        if (event.isTransactionSampleEvent() || !isThreadOfLoad()) {
            return;
        }
        lock.readLock().lock();
        try {
            if (!stopped) {
                super.sampleOccurred(event);
                open.remove(Thread.currentThread());
            }
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Records the samples in flight. Samples that end later are not recorded. */
    public void recordUnfinished() throws InterruptedException {
        long stop = System.currentTimeMillis();
        awaitProcessing(stop);
        lock.writeLock().lock();
        try {
            stopped = true;
            open.forEach((thread, sample) -> {
                if (!sample.endedBefore(stop)) {
                    super.sampleOccurred(new SampleEvent(unfinishedResult(thread, sample), ""));
                }
            });
        } finally {
            lock.writeLock().unlock();
        }
        flushFile();
    }

    private void awaitProcessing(long stop) throws InterruptedException {
        long deadline = System.nanoTime() + PROCESSING_NANOS;
        while (open.values().stream().anyMatch(sample -> sample.endedBefore(stop)) && System.nanoTime() < deadline) {
            Thread.sleep(10);
        }
    }

    private static SampleResult unfinishedResult(Thread thread, OpenSample sample) {
        SampleResult result = SampleResult.createTestSample(sample.startMillis, System.currentTimeMillis());
        result.setSampleLabel(sample.label);
        result.setThreadName(thread.getName());
        result.setSuccessful(false);
        result.setResponseCode(UNFINISHED);
        result.setResponseMessage("in flight when the plan was stopped");
        return result;
    }
}
