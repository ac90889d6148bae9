package dev.benchnet.attachment

import net.corda.core.flows.FlowException
import java.io.ByteArrayOutputStream
import java.util.Random
import java.util.UUID
import java.util.zip.Deflater
import java.util.zip.ZipEntry
import java.util.zip.ZipOutputStream

/** Room for the archive and the rest of the message with which the recipient gets it. */
const val MESSAGE_OVERHEAD = 64 * 1024
/** Room for the transaction and the CorDapp's jar, which count as parts of the transaction. */
const val TRANSACTION_OVERHEAD = 1024 * 1024

/**
 * Throws a FlowException unless an attachment of this size fits into a message and a transaction of the network. A node
 * drops a message that is too large, so the flows of both sides would wait without end.
 */
fun checkSize(bytes: Int, maxMessageSize: Int, maxTransactionSize: Int) {
    val most = minOf(maxMessageSize - MESSAGE_OVERHEAD, maxTransactionSize - TRANSACTION_OVERHEAD)
    if (bytes !in 1..most) {
        throw FlowException("bytes: must be from 1 to $most, but is $bytes: the network's maxMessageSize is $maxMessageSize" +
            " and its maxTransactionSize $maxTransactionSize")
    }
}

/** Returns a ZIP archive with one file of random bytes, which do not compress. Archives of two ids differ. */
fun randomArchive(id: UUID, bytes: Int): ByteArray {
    val content = ByteArray(bytes).also { Random(id.mostSignificantBits xor id.leastSignificantBits).nextBytes(it) }
    val archive = ByteArrayOutputStream(bytes + 1024)
    ZipOutputStream(archive).use {
        it.setLevel(Deflater.NO_COMPRESSION)
        it.putNextEntry(ZipEntry(id.toString()))
        it.write(content)
    }
    return archive.toByteArray()
}
