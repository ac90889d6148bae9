package dev.benchnet.driver.corda;

import dev.benchnet.driver.corda.workload.OperationSpec;
import dev.benchnet.driver.corda.workload.Workload;
import java.util.function.Function;

/** The operations that a workload can name. */
public final class OperationFactory {
    private OperationFactory() { }

    /** Returns the operation that runs once before the trial flows; null if there is none. */
    public static Operation createSetUp(Workload workload) {
        OperationSpec spec = workload.operation;
        return spec.setUp == null ? null : new NamedFlow("operation.setUp", spec.setUp.flow, spec.setUp.arguments,
                workload.directory, spec.counterparty);
    }

    /** Validates the operation before any member is connected, as far as possible; returns a function to create it. */
    public static Function<Members, Operation> create(Workload workload) {
        OperationSpec spec = workload.operation;
        switch (spec.flow) {
            case "Issue":
                return members -> new Issue(workload, members);
            case "IssueAndPay":
                return members -> new IssueAndPay(workload, members);
            case "Pay":
                return members -> new Pay(workload, members);
            default:
                Operation named = new NamedFlow(spec.flow, spec.arguments, workload.directory, spec.counterparty);
                return members -> named;
        }
    }
}
