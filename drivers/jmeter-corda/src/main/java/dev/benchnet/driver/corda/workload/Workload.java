package dev.benchnet.driver.corda.workload;

import dev.benchnet.driver.workload.Field;
import dev.benchnet.driver.workload.WorkloadFile;
import dev.benchnet.driver.workload.Worker;
import java.nio.file.Path;

/** The workload of one worker of a Corda network. Its clients are JMeter threads; the reference marks its states. */
public final class Workload extends WorkloadFile {
    public final Directory directory;
    public final OperationSpec operation;
    public final boolean keepJtl;

    private Workload(Field root, Worker worker) {
        super(root, worker);
        directory = new Directory(root);
        operation = new OperationSpec(root.get("operation"));
        keepJtl = root.get("keepJtl").readBoolean();
    }

    public static Workload read(Path file, Worker worker) {
        return new Workload(readJson(file), worker);
    }
}
