package dev.benchnet.genesis;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The command line: {@code --spec FILE --out FOLDER}. Exits with 0 on success, 2 on invalid input, 1 on other
 * failures.
 */
public final class Main {
    private static final String USAGE = "usage: java -jar genesis.jar --spec FILE --out FOLDER";
    private static final int DONE = 0;
    private static final int FAILED = 1;
    private static final int INVALID_INPUT = 2;

    private Main() {
    }

    public static void main(String[] arguments) {
        System.exit(run(Arrays.asList(arguments), System.getenv(), System.out, System.err));
    }

    /** Runs the program and returns its exit code; messages go to the given streams. */
    static int run(List<String> arguments, Map<String, String> environment, PrintStream out, PrintStream err) {
        long start = System.nanoTime();
        try {
            NetworkSpec spec = SpecReader.read(readOption(arguments, "--spec"));
            Path folder = readOption(arguments, "--out");
            requireNothingElse(arguments);
            Map<String, byte[]> files = Genesis.generateFiles(spec, StorePasswords.from(environment), Instant.now());
            long made = System.nanoTime();
            OutputFolder.write(folder, files);
            out.printf("genesis: members %d, notaries %d, files %d, in %s; made in %.2f s, written in %.2f s%n",
                    spec.members.size(), spec.notaries.size(), files.size(), folder,
                    toSeconds(made - start), toSeconds(System.nanoTime() - made));
            return DONE;
        } catch (InvalidInputException e) {
            err.println("genesis: " + e.getMessage());
            return INVALID_INPUT;
        } catch (IOException e) {
            err.println("genesis: cannot write: " + e);
            return FAILED;
        } catch (Exception e) {
            e.printStackTrace(err);
            return FAILED;
        }
    }

    private static Path readOption(List<String> arguments, String name) throws InvalidInputException {
        int at = arguments.indexOf(name);
        if (at < 0 || at + 1 >= arguments.size()) {
            throw new InvalidInputException(name, "is missing; " + USAGE);
        }
        return Paths.get(arguments.get(at + 1));
    }

    private static void requireNothingElse(List<String> arguments) throws InvalidInputException {
        if (arguments.size() != 4) {
            throw new InvalidInputException("arguments", "too many; " + USAGE);
        }
    }

    private static double toSeconds(long nanos) {
        return nanos / (double) TimeUnit.SECONDS.toNanos(1);
    }
}
