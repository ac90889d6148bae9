package dev.benchnet.driver.corda.workload;

import dev.benchnet.driver.workload.Field;
import dev.benchnet.driver.workload.WorkloadFile;
import java.nio.file.Path;
import java.util.List;

/** The members and parties of the network. */
public final class Directory {
    /** The members to drive; at least one. */
    public final List<Target> targets;
    /** Legal name of the notary; null if the network has none. */
    public final String notary;
    /** Legal names of all parties, in the network's order. */
    public final List<String> parties;

    Directory(Field root) {
        targets = root.requireObject().get("targets").readList(Target::read);
        Field operation = root.get("operation").requireObject();
        notary = operation.get("notary").readTextOr(null);
        parties = operation.get("parties").readList(Field::readText);
        if (targets.isEmpty()) {
            throw root.get("targets").invalid("at least one is needed");
        }
    }

    /** Reads only this part of workload.json. */
    public static Directory read(Path file) {
        return new Directory(WorkloadFile.readJson(file));
    }
}
