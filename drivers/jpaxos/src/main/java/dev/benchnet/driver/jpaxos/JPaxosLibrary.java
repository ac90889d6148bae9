package dev.benchnet.driver.jpaxos;

import dev.benchnet.driver.FatalException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Binds JPaxos's client by reflection, because no registry has JPaxos to compile against. The four members used here
 * are the same in its releases of 2013 and 2021.
 */
final class JPaxosLibrary {
    private static final String CONFIGURATION = "lsr.common.Configuration";
    private static final String CLIENT = "lsr.paxos.client.Client";

    private final MethodHandle configure;
    private final MethodHandle create;
    private final MethodHandle connect;
    private final MethodHandle execute;

    private JPaxosLibrary(ClassLoader loader) {
        Class<?> configuration = findClass(loader, CONFIGURATION);
        Class<?> client = findClass(loader, CLIENT);
        configure = findConstructor(configuration, String.class).asType(MethodType.methodType(Object.class, String.class));
        create = findConstructor(client, configuration).asType(MethodType.methodType(Object.class, Object.class));
        connect = findMethod(client, "connect", void.class).asType(MethodType.methodType(void.class, Object.class));
        execute = findMethod(client, "execute", byte[].class, byte[].class)
                .asType(MethodType.methodType(byte[].class, Object.class, byte[].class));
    }

    static JPaxosLibrary bind(ClassLoader loader) {
        return new JPaxosLibrary(loader);
    }

    /** Returns the replicas of a paxos.properties. */
    Replicas readReplicas(String properties) {
        Object configuration;
        try {
            configuration = (Object) configure.invokeExact(properties);
        } catch (Throwable e) {
            throw new FatalException("read the replicas from " + properties, e);
        }
        return () -> new BoundConnection((Object) create.invokeExact(configuration));
    }

    private final class BoundConnection implements Connection {
        private final Object client;

        BoundConnection(Object client) {
            this.client = client;
        }

        @Override
        public void connect() throws Throwable {
            connect.invokeExact(client);
        }

        @Override
        public byte[] execute(byte[] request) throws Throwable {
            return (byte[]) execute.invokeExact(client, request);
        }
    }

    private static Class<?> findClass(ClassLoader loader, String name) {
        try {
            return Class.forName(name, true, loader);
        } catch (ClassNotFoundException e) {
            throw new FatalException("JPaxos: the class path has no " + name
                    + ": platform.jpaxos.classPath must name where the image holds the jar of JPaxos");
        } catch (LinkageError e) {
            throw new FatalException("JPaxos: load " + name + ", which needs slf4j and logback beside it", e);
        }
    }

    private static MethodHandle findConstructor(Class<?> type, Class<?> argument) {
        try {
            return MethodHandles.publicLookup().findConstructor(type, MethodType.methodType(void.class, argument));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            throw missingMember(type.getName() + "(" + argument.getName() + ")");
        }
    }

    private static MethodHandle findMethod(Class<?> type, String name, Class<?> result, Class<?>... arguments) {
        try {
            return MethodHandles.publicLookup().findVirtual(type, name, MethodType.methodType(result, arguments));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            String list = arguments.length == 0 ? "" : arguments[0].getSimpleName();
            throw missingMember(type.getName() + "." + name + "(" + list + ") that returns " + result.getSimpleName());
        }
    }

    private static FatalException missingMember(String member) {
        return new FatalException("JPaxos: there is no public " + member + ": this driver knows the client of the releases of 2013 and 2021");
    }
}
