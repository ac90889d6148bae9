package dev.benchnet.driver.workload;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.benchnet.driver.FatalException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The part of the workload that all drivers share, as written by the controller. A driver adds operation and targets, but
 * the names and weights of a mix are the same in all operations.
 */
public class WorkloadFile {
    public final Worker worker;
    public final Load load;
    public final Measure measure;
    public final Mix mix;
    /** The ends of the parts of the window with results of their own, in seconds of the window. */
    public final List<Integer> segmentEnds;
    /** Unique among all runs on the network. */
    public final String reference;
    /** The unit of operations, such as flows; null if not set. */
    public final String unit;

    protected WorkloadFile(Field root, Worker worker) {
        this.worker = worker;
        load = new Load(root.requireObject().get("load"), worker);
        measure = new Measure(root.get("measure"));
        mix = Mix.read(root.get("operation").get("mix"), load.seed);
        segmentEnds = root.get("segments").readList(
                segment -> segment.requireObject().get("fromSeconds").readInteger(0) + segment.get("seconds").readInteger(1));
        reference = root.get("reference").readText();
        unit = root.get("unit").readTextOr(null);
    }

    /** Reads a workload.json. */
    public static Field readJson(Path file) {
        try {
            return new Field("", new ObjectMapper().readTree(Files.readAllBytes(file)));
        } catch (JsonProcessingException e) {
            throw new FatalException("workload " + file + " is not JSON: see line "
                    + e.getLocation().getLineNr() + ", column " + e.getLocation().getColumnNr());
        } catch (IOException e) {
            throw new FatalException("read workload " + file, e);
        }
    }

    /** Returns the maximum number of operations in flight of this worker. */
    public int workerMaxOutstanding() {
        return worker.shareOf(load.maxOutstanding);
    }

    /** Returns the number of clients of this worker. */
    public int workerClients() {
        return worker.shareOf(load.clients);
    }
}
