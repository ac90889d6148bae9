package dev.benchnet.driver.workload;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/** Creates loads for tests. */
public final class Loads {
    private Loads() { }

    /** Returns an open loop with further fields, in JSON with single quotes. */
    public static Load open(String fields, Worker worker) throws JsonProcessingException {
        String json = "{'model':'Open','clients':10," + fields + "}";
        return new Load(new Field("load", new ObjectMapper().readTree(json.replace('\'', '"'))), worker);
    }
}
