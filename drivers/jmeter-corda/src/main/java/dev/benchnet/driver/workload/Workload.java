package dev.benchnet.driver.workload;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.benchnet.driver.FatalException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The whole order to one worker, as the controller wrote it. */
public final class Workload {
    public final Worker worker;
    public final Directory directory;
    public final OperationSpec operation;
    public final Load load;
    public final Measure measure;
    public final boolean keepJtl;
    /** Unique among all runs on the network; marks the states that this run issues. */
    public final String reference;

    private Workload(Field root, Worker worker) {
        this.worker = worker;
        directory = new Directory(root);
        operation = new OperationSpec(root.get("operation"));
        load = new Load(root.get("load"), worker);
        measure = new Measure(root.get("measure"));
        keepJtl = root.get("keepJtl").flag();
        reference = root.get("reference").text();
    }

    public static Workload read(Path file, Worker worker) {
        return new Workload(root(file), worker);
    }

    static Field root(Path file) {
        try {
            return new Field("", new ObjectMapper().readTree(Files.readAllBytes(file)));
        } catch (JsonProcessingException e) {
            throw new FatalException("workload " + file + " is not JSON: see line "
                    + e.getLocation().getLineNr() + ", column " + e.getLocation().getColumnNr());
        } catch (IOException e) {
            throw new FatalException("read workload " + file, e);
        }
    }

    /** Flows that this worker has in flight at most. */
    public int outstanding() {
        return worker.share(load.maxOutstanding);
    }

    /** This worker's clients, each a JMeter thread. */
    public int clients() {
        return worker.share(load.clients);
    }
}
