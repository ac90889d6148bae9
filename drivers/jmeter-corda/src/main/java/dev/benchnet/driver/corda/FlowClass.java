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
    /** Null if the arguments have no placeholders. */
    private final OperationInputs inputs;
    private final List<ArgumentType> types = new ArrayList<>();
    private final List<Template> templates = new ArrayList<>();
    /** The parsed values of the arguments without placeholders; null for the others. */
    private final List<Object> fixedValues = new ArrayList<>();

    FlowClass(String field, String name, List<Argument> arguments, OperationInputs inputs) {
        this.field = field;
        this.inputs = inputs;
        type = loadClass(name);
        if (!type.isAnnotationPresent(StartableByRPC.class)) {
            throw new FatalException(field + ".flow: " + name + " cannot be started over RPC: it is not @StartableByRPC");
        }
        for (int i = 0; i < arguments.size(); i++) {
            types.add(parseType(arguments.get(i).type, i));
            templates.add(parseTemplate(arguments.get(i).value, i));
            Object last = null;
            for (OperationInput input : extremeInputs(i)) {
                last = parseValue(i, input);
            }
            fixedValues.add(templates.get(i).varies() ? null : last);
        }
        requireConstructor(types);
    }

    /** Resolves the parties of all operations by the member, so that a missing one is found before the load starts. */
    void resolveParties(Member member, Network network) {
        for (int i = 0; i < types.size(); i++) {
            if (types.get(i) == ArgumentType.Party) {
                for (OperationInput input : extremeInputs(i)) {
                    resolveValue(i, input, member, network);
                }
            }
        }
    }

    /** Returns the arguments of the next operation, which this worker's client starts, with parties resolved by the member. */
    Object[] nextValues(Member member, Network network, int client) {
        OperationInput input = inputs == null ? null : inputs.next(client);
        Object[] values = new Object[types.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = resolveValue(i, input, member, network);
        }
        return values;
    }

    private Object resolveValue(int index, OperationInput input, Member member, Network network) {
        Object value = fixedValues.get(index) != null ? fixedValues.get(index) : parseValue(index, input);
        return value instanceof PartyName ? ((PartyName) value).resolve(member, network, valuePath(index, input)) : value;
    }

    /** Returns inputs with the lowest and the highest value of each placeholder, for each row of the data that is used. */
    private List<OperationInput> extremeInputs(int index) {
        List<OperationInput> extremes = new ArrayList<>();
        int rows = templates.get(index).columns().isEmpty() ? 1 : inputs.data.rowCount();
        for (int row = 0; row < rows; row++) {
            extremes.add(OperationInput.extreme(row, false));
            extremes.add(OperationInput.extreme(row, true));
        }
        return extremes;
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

    private Template parseTemplate(String text, int index) {
        try {
            return inputs == null ? Template.literal(text) : Template.parse(text, index, inputs.data);
        } catch (IllegalArgumentException e) {
            throw new FatalException(argumentPath(index) + ".value: \"" + text + "\"", e);
        }
    }

    private Object parseValue(int index, OperationInput input) {
        String text = templates.get(index).render(input);
        try {
            return types.get(index).parse(text);
        } catch (RuntimeException e) {
            throw new FatalException(valuePath(index, input) + ": \"" + text + "\" is not of type " + types.get(index), e);
        }
    }

    /** Names the argument and, if it uses the data, the cells. Rows count from 1, below the header. */
    private String valuePath(int index, OperationInput input) {
        List<String> columns = templates.get(index).columns();
        return argumentPath(index) + ".value" + (columns.isEmpty() ? "" : " (column \"" + String.join("\", \"", columns) + "\", row "
                + (input.counter % inputs.data.rowCount() + 1) + ")");
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
