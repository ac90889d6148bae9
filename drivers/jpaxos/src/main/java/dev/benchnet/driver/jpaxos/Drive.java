package dev.benchnet.driver.jpaxos;

import dev.benchnet.driver.FatalException;
import dev.benchnet.driver.protocol.Barrier;
import dev.benchnet.driver.workload.Worker;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Map;

/**
 * The program: applies the workload BENCHNET_WORKLOAD and uses the driver protocol in BENCHNET_DIR. JPaxos must be on
 * the class path. {@code --properties FILE} is its configuration, by default paxos.properties in the working
 * directory.
 */
public final class Drive {
    private Drive() { }

    public static void main(String[] arguments) {
        // Exit explicitly, because a client that waits for a replica cannot be stopped.
        System.exit(run(arguments, System.getenv()));
    }

    static int run(String[] arguments, Map<String, String> environment) {
        Barrier barrier = new Barrier(Paths.get(environment.getOrDefault("BENCHNET_DIR", "/run/benchnet")));
        Path workload = Paths.get(environment.getOrDefault("BENCHNET_WORKLOAD", "/etc/benchnet/workload/workload.json"));
        return barrier.runAndReportFailure(() -> {
            RequestWorkload requests = RequestWorkload.read(workload, Worker.fromEnvironment(environment));
            JPaxosLibrary library = JPaxosLibrary.bind(Drive.class.getClassLoader());
            new Session(requests, barrier, library.readReplicas(propertiesFile(arguments))).run();
        });
    }

    private static String propertiesFile(String[] arguments) {
        if (arguments.length == 0) {
            return "paxos.properties";
        }
        if (arguments.length == 2 && arguments[0].equals("--properties")) {
            return arguments[1];
        }
        throw new FatalException("options: only --properties FILE is known, but are " + String.join(" ", arguments));
    }
}
