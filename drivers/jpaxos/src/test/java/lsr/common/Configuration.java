package lsr.common;

import java.io.FileInputStream;
import java.io.IOException;

/** Stands for the class of JPaxos in tests of the driver: same name, same constructor. */
public final class Configuration {
    public Configuration(String file) throws IOException {
        new FileInputStream(file).close();
    }
}
