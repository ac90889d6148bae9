package dev.benchnet.driver.load;

import static dev.benchnet.driver.load.FakeClock.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.benchnet.driver.workload.Loads;
import dev.benchnet.driver.workload.Measures;
import dev.benchnet.driver.workload.Mix;
import dev.benchnet.driver.workload.Worker;
import java.nio.file.Paths;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The cases are those of drivers/testdata/clients.json. */
class ActiveClientsTest {
    static Stream<JsonNode> all() throws Exception {
        JsonNode cases = new ObjectMapper().readTree(Paths.get("..", "testdata", "clients.json").toFile());
        return StreamSupport.stream(cases.spliterator(), false);
    }

    @ParameterizedTest
    @MethodSource("all")
    void aClientMayStartWhileItsIndexIsBelowTheNumber(JsonNode one) throws Exception {
        ActiveClients clients = new ActiveClients(Loads.closed(one.get("pieces").toString()).clientPieces);
        for (JsonNode turn : one.get("turns")) {
            long want = turn.get("turn").isNull() ? Long.MAX_VALUE : Math.round(turn.get("turn").asDouble() * SECOND);
            assertEquals(want, clients.nextTurn(turn.get("client").asLong(), Math.round(turn.get("from").asDouble() * SECOND)), turn.toString());
        }
    }

    /** One client for 2 s, then two for 4 s. The clients of two workers take turns. */
    @Test
    void aLoopStartsTheOperationsOfActiveClients() throws Exception {
        FakeClock clock = new FakeClock();
        Timeline timeline = new Timeline(SECOND, 0, Measures.of(0, 6, 0));
        ActiveClients clients = new ActiveClients(
                Loads.closed("[{'seconds':2,'from':1,'to':1},{'seconds':4,'from':2,'to':2}]").clientPieces);
        ClosedLoop first = new ClosedLoop(timeline, clock, new Worker(0, 2), 5, Mix.SINGLE, clients);
        ClosedLoop second = new ClosedLoop(timeline, clock, new Worker(1, 2), 5, Mix.SINGLE, clients);

        assertEquals(SECOND, first.awaitNext(0).intended);
        assertEquals(3 * SECOND, second.awaitNext(0).intended);
        assertNull(first.awaitNext(1), "the third client is never active");
        assertNotNull(first.awaitNext(0));
        clock.advance(4);
        assertNull(second.awaitNext(0), "the window has ended");
    }
}
