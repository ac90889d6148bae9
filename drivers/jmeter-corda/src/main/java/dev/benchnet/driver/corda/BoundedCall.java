package dev.benchnet.driver.corda;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Calls of members with a time limit: a broker whose disk is full blocks its clients without an error. */
public final class BoundedCall {
    private BoundedCall() {}

    /** Returns the result of the call. After the limit it interrupts the call and does not wait for its end. */
    public static <T> T run(Duration limit, Callable<T> call) throws ExecutionException, InterruptedException, TimeoutException {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task, "bounded call");
        thread.setDaemon(true);
        thread.start();
        try {
            return task.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } finally {
            task.cancel(true);
        }
    }
}
