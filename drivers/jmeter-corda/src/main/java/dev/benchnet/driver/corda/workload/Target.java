package dev.benchnet.driver.corda.workload;

import dev.benchnet.driver.FatalException;
import dev.benchnet.driver.workload.Field;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/** A member to drive: the address of its RPC and the user to log in as. */
public final class Target {
    public final String name;
    public final String address;
    public final String party;
    public final String user;
    private final Path passwordFile;

    private Target(Field field) {
        name = field.requireObject().get("name").readText();
        address = field.get("address").readText();
        party = field.get("identity").readText();
        user = field.get("user").readText();
        passwordFile = Paths.get(field.get("passwordFile").readText());
    }

    static Target read(Field field) {
        Target target = new Target(field);
        if (!target.address.matches(".+:\\d{1,5}")) {
            throw field.get("address").invalid("must be host:port");
        }
        return target;
    }

    public String password() {
        try {
            return new String(Files.readAllBytes(passwordFile), StandardCharsets.UTF_8).trim();
        } catch (IOException e) {
            throw new FatalException("targets: read the RPC password of " + name + " from " + passwordFile, e);
        }
    }
}
