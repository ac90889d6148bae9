package dev.benchnet.driver.jpaxos;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.benchnet.driver.FatalException;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JPaxosLibraryTest {
    private static final String CONFIGURATION = "package lsr.common; public class Configuration { public Configuration(String file) { } }";

    @TempDir
    Path folder;

    /** Returns a class path that contains only these sources, compiled. */
    private ClassLoader classPath(String... sources) throws IOException {
        String[] arguments = new String[sources.length + 2];
        arguments[0] = "-d";
        arguments[1] = folder.toString();
        for (int i = 0; i < sources.length; i++) {
            String name = sources[i].replaceFirst("(?s).*class (\\w+).*", "$1");
            Path file = folder.resolve(name + ".java");
            Files.write(file, sources[i].getBytes(StandardCharsets.UTF_8));
            arguments[i + 2] = file.toString();
        }
        if (sources.length > 0) {
            assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments));
        }
        return new URLClassLoader(new URL[] {folder.toUri().toURL()}, null);
    }

    private static String client(String members) {
        return "package lsr.paxos.client; public class Client { " + members + " }";
    }

    private String bindFailure(String... sources) throws IOException {
        ClassLoader loader = classPath(sources);
        return assertThrows(FatalException.class, () -> JPaxosLibrary.bind(loader)).getMessage();
    }

    @Test
    void bindsAClientWithTheRequiredMembers() throws Throwable {
        JPaxosLibrary library = JPaxosLibrary.bind(getClass().getClassLoader());
        Path properties = Files.createFile(folder.resolve("paxos.properties"));
        Connection connection = library.readReplicas(properties.toString()).newConnection();
        connection.connect();
        assertArrayEquals(new byte[] {1, 2}, connection.execute(new byte[] {1, 2}));
    }

    @Test
    void namesTheClassThatIsMissing() throws IOException {
        assertEquals("JPaxos: the class path has no lsr.common.Configuration: platform.jpaxos.classPath must name where the image holds the"
                + " jar of JPaxos", bindFailure());
        assertEquals("JPaxos: the class path has no lsr.paxos.client.Client: platform.jpaxos.classPath must name where the image holds the"
                + " jar of JPaxos", bindFailure(CONFIGURATION));
    }

    @Test
    void namesTheMemberThatIsMissing() throws IOException {
        String known = ": this driver knows the client of the releases of 2013 and 2021";
        assertEquals("JPaxos: there is no public lsr.paxos.client.Client(lsr.common.Configuration)" + known,
                bindFailure(CONFIGURATION, client("")));
        String constructor = "public Client(lsr.common.Configuration c) { } ";
        assertEquals("JPaxos: there is no public lsr.paxos.client.Client.connect() that returns void" + known,
                bindFailure(CONFIGURATION, client(constructor)));
        assertEquals("JPaxos: there is no public lsr.paxos.client.Client.execute(byte[]) that returns byte[]" + known,
                bindFailure(CONFIGURATION, client(constructor + "public void connect() { } public String execute(byte[] r) { return null; }")));
    }
}
