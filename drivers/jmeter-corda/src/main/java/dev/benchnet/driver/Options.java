package dev.benchnet.driver;

import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.Map;

/** The command line. A plan can also be given the way that JMeter itself takes it. */
final class Options {
    /** The user's own plan; null: the driver's. */
    final Path plan;
    /** Where the user's own plan leaves its samples; null: nowhere. */
    final Path jtl;
    /** For the plan's ${__P(name)}, each from -Jname=value. */
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
                continue; // There are no windows anyway.
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
