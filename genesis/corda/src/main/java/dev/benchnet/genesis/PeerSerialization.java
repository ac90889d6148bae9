package dev.benchnet.genesis;

import java.io.NotSerializableException;
import java.util.Collections;
import net.corda.core.cordapp.Cordapp;
import net.corda.core.serialization.SerializationContext;
import net.corda.core.serialization.SerializedBytes;
import net.corda.core.serialization.internal.SerializationEnvironment;
import net.corda.core.serialization.internal.SerializationEnvironmentKt;
import net.corda.serialization.internal.CordaSerializationMagic;
import net.corda.serialization.internal.SerializationFactoryImpl;
import net.corda.serialization.internal.SharedContexts;
import net.corda.serialization.internal.amqp.AbstractAMQPSerializationScheme;
import net.corda.serialization.internal.amqp.SchemaKt;
import net.corda.serialization.internal.amqp.SerializerFactory;

/**
 * Corda's AMQP format for data that peers exchange. Loading this class sets Corda's process-wide serialisation
 * environment, which Corda's signing code requires. Corda allows setting it only once.
 */
final class PeerSerialization {
    private static final SerializationEnvironment ENVIRONMENT = installEnvironment();

    private PeerSerialization() {
    }

    static <T> SerializedBytes<T> serialize(T object) throws NotSerializableException {
        return ENVIRONMENT.getSerializationFactory().serialize(object, ENVIRONMENT.getP2pContext());
    }

    private static SerializationEnvironment installEnvironment() {
        SerializationFactoryImpl factory = new SerializationFactoryImpl();
        factory.registerScheme(new PeerScheme());
        SerializationEnvironment environment = SerializationEnvironment.Companion.with(
                factory, SharedContexts.getAMQP_P2P_CONTEXT(), null, null, null, null, null);
        SerializationEnvironmentKt.setNodeSerializationEnv(environment);
        return environment;
    }

    /** Supports only the peer-to-peer use case: genesis does not use RPC. */
    private static final class PeerScheme extends AbstractAMQPSerializationScheme {
        PeerScheme() {
            super(Collections.<Cordapp>emptyList());
        }

        @Override
        public boolean canDeserializeVersion(CordaSerializationMagic magic, SerializationContext.UseCase target) {
            return target == SerializationContext.UseCase.P2P && magic.equals(SchemaKt.getAmqpMagic());
        }

        @Override
        protected SerializerFactory rpcClientSerializerFactory(SerializationContext context) {
            throw new UnsupportedOperationException("no RPC in genesis");
        }

        @Override
        protected SerializerFactory rpcServerSerializerFactory(SerializationContext context) {
            throw new UnsupportedOperationException("no RPC in genesis");
        }
    }
}
