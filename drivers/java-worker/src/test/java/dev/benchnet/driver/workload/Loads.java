package dev.benchnet.driver.workload;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/** Creates loads for tests. */
public final class Loads {
    private Loads() { }

    /** Returns a closed loop with the pieces of a changing number of clients, in JSON with single or double quotes. */
    public static Load closed(String pieces) throws JsonProcessingException {
        String json = "{'model':'Closed','clients':100,'clientPieces':" + pieces + "}";
        return new Load(new Field("load", new ObjectMapper().readTree(json.replace('\'', '"'))), new Worker(0, 1));
    }

    /** Returns an open loop with further fields, in JSON with single quotes. */
    public static Load open(String fields, Worker worker) throws JsonProcessingException {
        String json = "{'model':'Open','clients':10," + fields + "}";
        return new Load(new Field("load", new ObjectMapper().readTree(json.replace('\'', '"'))), worker);
    }
}
