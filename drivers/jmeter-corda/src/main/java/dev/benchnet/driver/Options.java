package dev.benchnet.driver;

import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.Map;

/** The command line. It also accepts JMeter's own options for a plan. */
final class Options {
    /** A custom plan; null: the driver's plan. */
    final Path plan;
    /** The file for the samples of a custom plan; null: none. */
    final Path jtl;
    /** Values of ${__P(name)} in the plan, each from -Jname=value. */
    final Map<String, String> properties;

    private Options(Path plan, Path jtl, Map<String, String> properties) {
        this.plan = plan;
        this.jtl = jtl;
        this.properties = properties;
    }

    static Options parse(String[] arguments) {
        Path plan = null;
        Path jtl = null;
        Map<String, String> properties = new HashMap<>();
        for (int i = 0; i < arguments.length; i++) {
            String argument = arguments[i];
            if (argument.equals("-n")) {
                continue; // The driver is always headless.
            } else if (argument.equals("--plan") || argument.equals("-t")) {
                plan = Paths.get(valueOf(arguments, ++i));
            } else if (argument.equals("--jtl") || argument.equals("-l")) {
                jtl = Paths.get(valueOf(arguments, ++i));
            } else if (argument.matches("-J[^=]+=.*")) {
                int equals = argument.indexOf('=');
                properties.put(argument.substring(2, equals), argument.substring(equals + 1));
            } else {
                throw new FatalException("option " + argument + " is unknown; known are --plan FILE, --jtl FILE, -Jname=value, and"
                        + " JMeter's -n, -t FILE, -l FILE");
            }
        }
        return new Options(plan, jtl, properties);
    }

    private static String valueOf(String[] arguments, int index) {
        if (index == arguments.length) {
            throw new FatalException("option " + arguments[index - 1] + " needs a file");
        }
        return arguments[index];
    }
}
