package dev.benchnet.driver.corda;

import static java.util.Collections.unmodifiableList;

import dev.benchnet.driver.FatalException;
import dev.benchnet.driver.corda.workload.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import net.corda.client.rpc.CordaRPCClient;
import net.corda.client.rpc.CordaRPCClientConfiguration;
import net.corda.client.rpc.CordaRPCConnection;
import net.corda.client.rpc.RPCException;
import net.corda.core.identity.CordaX500Name;
import net.corda.core.utilities.NetworkHostAndPort;

/** The targets of the workload, with one RPC connection to each. */
public final class Members implements AutoCloseable {
    /** The maximum interval between attempts to restore a lost connection. */
    private static final Duration MAX_RECONNECT_INTERVAL = Duration.ofSeconds(5);
    /** The maximum time until a member accepts connections. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);
    /** The maximum time to tell a member that its connection ends. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);
    private static final int SET_UP_IN_PARALLEL = 8;

    private final List<Member> members = new ArrayList<>();
    private final List<CordaRPCConnection> connections = new ArrayList<>();

    /** Wraps connected members; the caller owns their connections. */
    Members(List<Member> connected) {
        members.addAll(connected);
    }

    public static Members connect(List<Target> targets) throws InterruptedException {
        Members all = new Members(new ArrayList<>());
        try {
            for (Target target : targets) {
                all.connect(target);
            }
            return all;
        } catch (RuntimeException | InterruptedException e) {
            all.close();
            throw e;
        }
    }

    private void connect(Target target) throws InterruptedException {
        CordaX500Name legalName = Network.legalName(target.party, "targets: party of " + target.name);
        CordaRPCConnection connection = open(target, target.password());
        connections.add(connection);
        members.add(new Member(target.name, legalName, connection.getProxy()));
    }

    /** Retries while nothing listens yet; any other error, such as a refused login, is final. */
    private static CordaRPCConnection open(Target target, String password) throws InterruptedException {
        CordaRPCClientConfiguration configuration = new CordaRPCClientConfiguration(MAX_RECONNECT_INTERVAL);
        CordaRPCClient client = new CordaRPCClient(NetworkHostAndPort.parse(target.address), configuration);
        long until = System.nanoTime() + CONNECT_TIMEOUT.toNanos();
        while (true) {
            try {
                return client.start(target.user, password);
            } catch (Exception e) { // Kotlin code throws checked exceptions that it does not declare.
                if (!(e instanceof RPCException) || System.nanoTime() > until) {
                    throw new FatalException("targets: connect to " + target.name + " at " + target.address
                            + " as " + target.user, e);
                }
                Thread.sleep(1000);
            }
        }
    }

    List<Member> list() {
        return unmodifiableList(members);
    }

    /** Returns the member for an index, in turn. */
    public Member memberFor(long index) {
        return members.get((int) (index % members.size()));
    }

    public Member findByName(String name) {
        return members.stream().filter(member -> member.name.equals(name)).findFirst()
                .orElseThrow(() -> new FatalException("target: \"" + name + "\" is none of " + members));
    }

    Optional<Member> findByName(CordaX500Name legalName) {
        return members.stream().filter(member -> member.legalName.equals(legalName)).findFirst();
    }

    /** Runs the action for every member, several at a time; throws the first failure after all have ended. */
    public void forEach(Consumer<Member> action) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(Math.min(SET_UP_IN_PARALLEL, members.size()));
        try {
            List<Callable<Void>> calls = new ArrayList<>();
            members.forEach(member -> calls.add(() -> {
                action.accept(member);
                return null;
            }));
            for (Future<Void> result : pool.invokeAll(calls)) {
                result.get();
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException
                    ? (RuntimeException) e.getCause() : new IllegalStateException(e.getCause());
        } finally {
            pool.shutdown();
        }
    }

    @Override
    public void close() {
        for (CordaRPCConnection connection : connections) {
            try {
                BoundedCall.run(CLOSE_TIMEOUT, () -> {
                    connection.notifyServerAndClose();
                    return null;
                });
            } catch (ExecutionException | TimeoutException e) {
                connection.forceClose(); // The server is gone, or blocks its clients, and need not be notified.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                connection.forceClose();
            }
        }
    }
}
