package dev.benchnet.driver.protocol;

import dev.benchnet.driver.FatalException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.OptionalLong;

/**
 * The directory shared with the agent. Files appear atomically: each is written under another name and then renamed.
 */
public final class Barrier {
    private static final long POLL_MILLIS = 20;

    private final Path folder;

    public Barrier(Path folder) {
        this.folder = folder;
    }

    /** The work of a driver between its start and its end. */
    public interface DriverProgram {
        void run() throws Exception;
    }

    /** Runs the work, and writes an error to the file failure. Returns the exit code of the program. */
    public int runAndReportFailure(DriverProgram work) {
        try {
            work.run();
            return 0;
        } catch (FatalException e) {
            System.err.println("drive: " + e.getMessage());
            writeFailure(e.getMessage());
        } catch (Exception | LinkageError e) {
            e.printStackTrace();
            writeFailure("driver: " + e);
        }
        return 1;
    }

    /** Signals that the set-up is complete and the load can start. */
    public void writeReady() {
        writeAtomically("ready", "");
    }

    /** Waits for the file start; returns its instant in milliseconds since the epoch. */
    public long awaitStart() throws InterruptedException {
        Path start = folder.resolve("start");
        while (!Files.exists(start)) {
            Thread.sleep(POLL_MILLIS);
        }
        return readEpochMillis(start);
    }

    /** Returns the instant of the file stop, in milliseconds since the epoch; empty if the file does not exist. */
    public OptionalLong readStop() {
        Path stop = folder.resolve("stop");
        return Files.exists(stop) ? OptionalLong.of(readEpochMillis(stop)) : OptionalLong.empty();
    }

    private static long readEpochMillis(Path file) {
        String text = readText(file).trim();
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new FatalException(file.getFileName() + ": must be Unix epoch milliseconds, but is \"" + text + "\"");
        }
    }

    public void writeProgress(String json) {
        writeAtomically("progress.json", json);
    }

    public void writeResult(String json) {
        writeAtomically("result.json", json);
    }

    /** Writes one line with the reason for the missing result. */
    public void writeFailure(String reason) {
        writeAtomically("failure", reason.replaceAll("\\s+", " ").trim() + "\n");
    }

    private void writeAtomically(String name, String content) {
        Path temporary = folder.resolve("." + name + ".new");
        try {
            Files.write(temporary, content.getBytes(StandardCharsets.UTF_8));
            Files.move(temporary, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new FatalException("write " + folder.resolve(name), e);
        }
    }

    private static String readText(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new FatalException("read " + file, e);
        }
    }
}
