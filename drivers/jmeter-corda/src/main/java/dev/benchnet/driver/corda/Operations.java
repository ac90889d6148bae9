package dev.benchnet.driver.corda;

import dev.benchnet.driver.corda.workload.OperationSpec;
import dev.benchnet.driver.corda.workload.Workload;
import java.util.function.Function;

/** The operations that a workload can name. */
public final class Operations {
    private Operations() { }

    /** What runs once before the operation is tried; null: nothing. */
    public static Operation setUpOf(Workload workload) {
        OperationSpec spec = workload.operation;
        return spec.setUp == null ? null : new NamedFlow("operation.setUp", spec.setUp.flow, spec.setUp.arguments,
                workload.directory, spec.counterparty);
    }

    /** Checks what can be checked without a node, before any is connected; the operation itself needs the members. */
    public static Function<Members, Operation> of(Workload workload) {
        OperationSpec spec = workload.operation;
        switch (spec.flow) {
            case "Issue":
                return members -> new Issue(workload);
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
