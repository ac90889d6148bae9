package dev.benchnet.driver.workload;

import java.util.Collections;
import java.util.List;

/** The load model. The numbers are totals over all workers. */
public final class Load {
    /** Closed: a client starts its next operation when the last one ends. Open: operations start by a schedule. */
    public enum Model { Closed, Open }

    /** Even: operations are due at equal distances. Poisson: at exponential distances. */
    public enum Arrivals { Even, Poisson }

    private static final int MAX_RATE_PIECES = 10_000;

    public final Model model;
    public final int clients;
    /** Closed: maximum number of operations in flight, at most the number of clients. */
    public final int maxOutstanding;
    /** Open, if the rate is constant: operations per second. */
    public final double ratePerSecond;
    /** Open, if the rate changes: the rate from the start of the load on, after which no operation is due. */
    public final List<RatePiece> rates;
    /** Closed, if the number of clients changes: that number from the start of the load on; otherwise empty. */
    public final List<ClientPiece> clientPieces;
    public final Arrivals arrivals;
    /** Poisson: the seed of the generators of all workers, and of a mix. Otherwise 0. */
    public final long seed;

    Load(Field field, Worker worker) {
        model = field.requireObject().get("model").readEnum(Model.class);
        clients = field.get("clients").readInteger(1);
        maxOutstanding = field.get("maxOutstanding").isAbsent() || model == Model.Open
                ? clients : Math.min(clients, field.get("maxOutstanding").readInteger(1));
        rates = model == Model.Open ? readRates(field) : Collections.emptyList();
        ratePerSecond = model == Model.Open && rates.isEmpty() ? field.get("ratePerSecond").readPositive() : 0;
        clientPieces = model == Model.Open ? Collections.emptyList() : field.get("clientPieces").readList(ClientPiece::new);
        arrivals = field.get("arrivals").isAbsent() ? Arrivals.Even : field.get("arrivals").readEnum(Arrivals.class);
        seed = arrivals == Arrivals.Poisson ? field.get("seed").readInteger(0, Long.MAX_VALUE) : 0;
        if (maxOutstanding < worker.count) {
            throw field.invalid("each of the " + worker.count + " workers needs a client and an outstanding operation of its own");
        }
    }

    /** Returns an empty list if the rate is constant. */
    private static List<RatePiece> readRates(Field load) {
        Field constant = load.get("ratePerSecond");
        Field rates = load.get("rates");
        if (constant.isAbsent() == rates.isAbsent()) {
            throw constant.invalid("must be set if, and only if, load.rates is not");
        }
        List<RatePiece> pieces = rates.readList(RatePiece::new);
        if (pieces.isEmpty() && !rates.isAbsent() || pieces.size() > MAX_RATE_PIECES) {
            throw rates.invalid("must have 1 to " + MAX_RATE_PIECES + " pieces");
        }
        return pieces;
    }
}
