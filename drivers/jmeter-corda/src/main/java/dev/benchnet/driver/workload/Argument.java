package dev.benchnet.driver.workload;

/** One argument of a flow that is started by class name, as written by the user. */
public final class Argument {
    public final String type;
    public final String value;

    Argument(Field field) {
        type = field.object().get("type").text();
        value = field.get("value").textOr("");
    }

    public Argument(String type, String value) {
        this.type = type;
        this.value = value;
    }
}
