package dev.benchnet.driver.corda.workload;

import dev.benchnet.driver.workload.Field;
import dev.benchnet.driver.workload.WorkloadFile;
import dev.benchnet.driver.workload.Worker;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/** The workload of one worker of a Corda network. Its clients are JMeter threads; the reference marks its states. */
public final class Workload extends WorkloadFile {
    public final Directory directory;
    /** The kinds of operations in the order of the mix; one without a mix. */
    public final List<OperationSpec> operations;
    /** Legal name of the payee; null: the party after the payer in the list of parties. */
    public final String counterparty;
    /** The share of flows whose steps are followed, for the phases of the result. */
    public final int phaseSamplePercent;
    public final boolean keepJtl;

    private Workload(Field root, Worker worker) {
        super(root, worker);
        directory = new Directory(root);
        Field operation = root.get("operation");
        List<OperationSpec> kinds = operation.get("mix").readList(OperationSpec::new);
        operations = kinds.isEmpty() ? Collections.singletonList(new OperationSpec(operation)) : kinds;
        counterparty = operation.get("counterparty").readTextOr(null);
        Field percent = operation.get("phaseSamplePercent");
        phaseSamplePercent = percent.isAbsent() ? 0 : (int) percent.readInteger(0, 100);
        keepJtl = root.get("keepJtl").readBoolean();
    }

    /** Returns the CSV file that all kinds with data share; null if there is none. */
    public Path data() {
        return operations.stream().map(operation -> operation.data).filter(Objects::nonNull).findFirst().orElse(null);
    }

    public static Workload read(Path file, Worker worker) {
        return new Workload(readJson(file), worker);
    }
}
