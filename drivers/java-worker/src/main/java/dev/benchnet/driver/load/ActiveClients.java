package dev.benchnet.driver.load;

import dev.benchnet.driver.workload.ClientPiece;
import java.util.List;

/** Decides when the clients of a closed loop may start operations. A client may while its index is below the number of clients. */
final class ActiveClients {
    private static final long SECOND = 1_000_000_000L;

    private final List<ClientPiece> pieces;

    /** Without pieces, all clients may start operations at any time. */
    ActiveClients(List<ClientPiece> pieces) {
        this.pieces = pieces;
    }

    /**
     * Returns the first instant, from one on, at which a client may start an operation, in nanoseconds from the start of the
     * load; Long.MAX_VALUE if there is none. The client is given by its index among those of all workers.
     */
    long nextTurn(long client, long nanos) {
        if (pieces.isEmpty()) {
            return nanos;
        }
        long start = 0;
        for (ClientPiece piece : pieces) {
            long end = start + piece.seconds * SECOND;
            long from = start;
            long until = end;
            if (piece.from == piece.to) {
                until = client < piece.from ? end : start;
            } else {
                long crossing = start + Math.round((double) piece.seconds * SECOND * (client - piece.from) / (piece.to - piece.from));
                from = piece.from < piece.to ? Math.max(start, crossing) : start;
                until = piece.from < piece.to ? end : Math.min(end, crossing);
            }
            long turn = Math.max(nanos, from);
            if (turn < until) {
                return turn;
            }
            start = end;
        }
        return Long.MAX_VALUE;
    }
}
