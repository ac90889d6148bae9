package dev.benchnet.driver.workload;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/** Creates mixes for tests. */
public final class Mixes {
    private Mixes() { }

    /** Reads a list of kinds in JSON with single quotes. */
    public static Mix read(String kinds, long seed) throws JsonProcessingException {
        return Mix.read(new Field("operation.mix", new ObjectMapper().readTree(kinds.replace('\'', '"'))), seed);
    }

    /** Returns a mix of the kinds 0, 1 and so on. */
    public static Mix of(long seed, int... weights) throws JsonProcessingException {
        StringBuilder kinds = new StringBuilder("[");
        for (int i = 0; i < weights.length; i++) {
            kinds.append(i == 0 ? "" : ",").append("{'name':'").append(i).append("','weight':").append(weights[i]).append('}');
        }
        return read(kinds.append(']').toString(), seed);
    }
}
