package dev.benchnet.driver.corda;

import dev.benchnet.driver.corda.workload.Argument;
import dev.benchnet.driver.corda.workload.DataTable;
import dev.benchnet.driver.corda.workload.FlowSpec;
import dev.benchnet.driver.corda.workload.OperationSpec;
import dev.benchnet.driver.corda.workload.Workload;
import java.util.List;
import java.util.function.Function;

/** The operations that a workload can name. */
public final class OperationFactory {
    private OperationFactory() { }

    /** Returns the operation that runs once before the trial flows; null if there is none. The data may be null. */
    public static Operation createSetUp(Workload workload, DataTable data) {
        FlowSpec setUp = workload.operation.setUp;
        return setUp == null ? null : createNamed("operation.setUp", setUp.flow, setUp.arguments, workload, data);
    }

    /**
     * Validates the operation before any member is connected, as far as possible; returns a function to create it. The
     * data may be null.
     */
    public static Function<Members, Operation> create(Workload workload, DataTable data) {
        OperationSpec spec = workload.operation;
        switch (spec.flow) {
            case "Issue":
                return members -> new Issue(workload, members);
            case "IssueAndPay":
                return members -> new IssueAndPay(workload, members);
            case "Pay":
                return members -> new Pay(workload, members);
            default:
                Operation named = createNamed("operation", spec.flow, spec.arguments, workload, data);
                return members -> named;
        }
    }

    private static Operation createNamed(String field, String flow, List<Argument> arguments, Workload workload, DataTable data) {
        OperationInputs inputs = new OperationInputs(workload.worker, workload.operation.seed, data);
        return new NamedFlow(field, flow, arguments, inputs, workload.directory, workload.operation.counterparty);
    }
}
