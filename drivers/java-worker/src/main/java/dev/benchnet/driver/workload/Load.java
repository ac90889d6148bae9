package dev.benchnet.driver.workload;

/** The load model. The numbers are totals over all workers. */
public final class Load {
    /** Closed: a client starts its next operation when the last one ends. Open: operations start by a schedule. */
    public enum Model { Closed, Open }

    /** Even: operations are due at equal distances. Poisson: at exponential distances. */
    public enum Arrivals { Even, Poisson }

    public final Model model;
    public final int clients;
    /** Closed: maximum number of operations in flight, at most the number of clients. */
    public final int maxOutstanding;
    /** Open: operations per second. */
    public final double ratePerSecond;
    public final Arrivals arrivals;
    /** Poisson: the seed of the generators of all workers. */
    public final long seed;

    Load(Field field, Worker worker) {
        model = field.requireObject().get("model").readEnum(Model.class);
        clients = field.get("clients").readInteger(1);
        maxOutstanding = field.get("maxOutstanding").isAbsent() || model == Model.Open
                ? clients : Math.min(clients, field.get("maxOutstanding").readInteger(1));
        ratePerSecond = model == Model.Open ? field.get("ratePerSecond").readPositive() : 0;
        arrivals = field.get("arrivals").isAbsent() ? Arrivals.Even : field.get("arrivals").readEnum(Arrivals.class);
        seed = arrivals == Arrivals.Poisson ? field.get("seed").readInteger(0, Long.MAX_VALUE) : 0;
        if (maxOutstanding < worker.count) {
            throw field.invalid("each of the " + worker.count + " workers needs a client and an outstanding operation of its own");
        }
    }
}
