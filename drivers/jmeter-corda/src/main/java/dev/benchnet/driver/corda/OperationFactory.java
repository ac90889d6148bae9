package dev.benchnet.driver.corda;

import dev.benchnet.driver.corda.workload.Argument;
import dev.benchnet.driver.corda.workload.DataTable;
import dev.benchnet.driver.corda.workload.OperationSpec;
import dev.benchnet.driver.corda.workload.Workload;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;

/** The operations that a workload can name. */
public final class OperationFactory {
    private OperationFactory() { }

    /** Returns the operations that run once before the trial flows, in order, by their fields. The data may be null. */
    public static Map<String, Operation> createSetUps(Workload workload, DataTable data) {
        Map<String, Operation> setUps = new LinkedHashMap<>();
        for (OperationSpec spec : workload.operations) {
            if (spec.setUp != null) {
                String field = spec.field + ".setUp";
                setUps.put(field, createNamed(field, spec.setUp.flow, spec.setUp.arguments, spec, workload, data));
            }
        }
        return setUps;
    }

    /**
     * Validates the operations before any member is connected, as far as possible; returns a function to create them in the
     * order of the mix. The data may be null.
     */
    public static Function<Members, List<Operation>> create(Workload workload, DataTable data) {
        List<BiFunction<Members, List<Operation>, Operation>> kinds = new ArrayList<>();
        for (int kind = 0; kind < workload.operations.size(); kind++) {
            kinds.add(create(workload, kind, data));
        }
        return members -> {
            List<Operation> operations = new ArrayList<>();
            kinds.forEach(kind -> operations.add(kind.apply(members, operations)));
            return operations;
        };
    }

    /** The second argument of the function is the list of all operations. */
    private static BiFunction<Members, List<Operation>, Operation> create(Workload workload, int kind, DataTable data) {
        OperationSpec spec = workload.operations.get(kind);
        switch (spec.flow) {
            case "Issue":
                return (members, all) -> new Issue(workload, kind, members, all);
            case "IssueAndPay":
                return (members, all) -> new IssueAndPay(workload, kind, members, all);
            case "Pay":
                return (members, all) -> new Pay(workload, kind, members, all);
            default:
                Operation named = createNamed(spec.field, spec.flow, spec.arguments, spec, workload, data);
                return (members, all) -> named;
        }
    }

    private static Operation createNamed(String field, String flow, List<Argument> arguments, OperationSpec spec, Workload workload,
            DataTable data) {
        OperationInputs inputs = new OperationInputs(workload.worker, spec.seed, spec.data == null ? null : data);
        return new NamedFlow(field, flow, arguments, inputs, workload.directory, workload.counterparty);
    }
}
