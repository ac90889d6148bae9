package lsr.common;

import java.io.FileInputStream;
import java.io.IOException;

/** A fake of JPaxos's class for tests of the driver, with the same name and constructor. */
public final class Configuration {
    public Configuration(String file) throws IOException {
        new FileInputStream(file).close();
    }
}
