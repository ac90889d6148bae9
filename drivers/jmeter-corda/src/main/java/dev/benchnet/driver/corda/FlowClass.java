package dev.benchnet.driver.corda;

import dev.benchnet.driver.FatalException;
import dev.benchnet.driver.corda.workload.Argument;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import net.corda.core.flows.FlowLogic;
import net.corda.core.flows.StartableByRPC;

/** A flow that the user names, with its arguments, validated as far as possible without a node. */
final class FlowClass {
    final Class<? extends FlowLogic<?>> type;
    /** The workload's field with the flow, for error messages. */
    private final String field;
    private final List<Object> values = new ArrayList<>();

    FlowClass(String field, String name, List<Argument> arguments) {
        this.field = field;
        type = loadClass(name);
        if (!type.isAnnotationPresent(StartableByRPC.class)) {
            throw new FatalException(field + ".flow: " + name + " cannot be started over RPC: it is not @StartableByRPC");
        }
        List<ArgumentType> types = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            types.add(parseType(arguments.get(i).type, i));
            values.add(parseValue(types.get(i), arguments.get(i).value, i));
        }
        requireConstructor(types);
    }

    /** Returns the arguments with parties resolved by the member. */
    Object[] resolveValues(Member member, Network network) {
        Object[] resolved = values.toArray();
        for (int i = 0; i < resolved.length; i++) {
            if (resolved[i] instanceof PartyName) {
                resolved[i] = ((PartyName) resolved[i]).resolve(member, network, argumentPath(i));
            }
        }
        return resolved;
    }

    @SuppressWarnings("unchecked") // isAssignableFrom is the check
    private Class<? extends FlowLogic<?>> loadClass(String name) {
        try {
            Class<?> found = Class.forName(name, false, FlowClass.class.getClassLoader());
            if (!FlowLogic.class.isAssignableFrom(found)) {
                throw new FatalException(field + ".flow: " + name + " is not a flow: it does not extend FlowLogic");
            }
            return (Class<? extends FlowLogic<?>>) found;
        } catch (ClassNotFoundException | LinkageError e) {
            throw new FatalException(field + ".flow: \"" + name + "\" is neither Issue, IssueAndPay or Pay"
                    + " nor a class in the CorDapps folder (an inner class is written Outer$Inner)");
        }
    }

    private ArgumentType parseType(String name, int index) {
        return Arrays.stream(ArgumentType.values()).filter(type -> type.name().equals(name)).findFirst()
                .orElseThrow(() -> new FatalException(argumentPath(index) + ".type: must be one of "
                        + Arrays.toString(ArgumentType.values()) + ", but is \"" + name + "\""));
    }

    private Object parseValue(ArgumentType type, String text, int index) {
        try {
            return type.parse(text);
        } catch (RuntimeException e) {
            throw new FatalException(argumentPath(index) + ".value: \"" + text + "\" is not of type " + type, e);
        }
    }

    private void requireConstructor(List<ArgumentType> types) {
        Constructor<?>[] constructors = type.getConstructors();
        if (Arrays.stream(constructors).noneMatch(constructor -> accepts(constructor, types))) {
            throw new FatalException(field + ".arguments: " + type.getName() + " has no constructor with parameters "
                    + types + "; it has " + Arrays.stream(constructors).filter(FlowClass::isDeclaredInSource)
                    .map(FlowClass::describeParameters).sorted().collect(Collectors.joining(" ")));
        }
    }

    private static boolean accepts(Constructor<?> constructor, List<ArgumentType> types) {
        Class<?>[] parameters = constructor.getParameterTypes();
        if (parameters.length != types.size()) {
            return false;
        }
        for (int i = 0; i < parameters.length; i++) {
            if (!types.get(i).isAssignableTo(parameters[i])) {
                return false;
            }
        }
        return true;
    }

    /** Excludes the constructors that the Kotlin compiler adds for default values. */
    private static boolean isDeclaredInSource(Constructor<?> constructor) {
        return Arrays.stream(constructor.getParameterTypes())
                .noneMatch(type -> type.getName().equals("kotlin.jvm.internal.DefaultConstructorMarker"));
    }

    private static String describeParameters(Constructor<?> constructor) {
        return Arrays.stream(constructor.getParameterTypes()).map(Class::getSimpleName)
                .collect(Collectors.joining(", ", "(", ")"));
    }

    private String argumentPath(int index) {
        return field + ".arguments[" + index + "]";
    }
}
