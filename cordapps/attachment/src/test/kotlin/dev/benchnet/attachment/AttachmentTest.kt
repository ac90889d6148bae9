package dev.benchnet.attachment

import net.corda.core.contracts.Attachment
import net.corda.core.contracts.CommandWithParties
import net.corda.core.contracts.PrivacySalt
import net.corda.core.contracts.StateAndRef
import net.corda.core.contracts.StateRef
import net.corda.core.contracts.TransactionState
import net.corda.core.crypto.Crypto
import net.corda.core.crypto.SecureHash
import net.corda.core.flows.FlowException
import net.corda.core.identity.CordaX500Name
import net.corda.core.identity.Party
import net.corda.core.transactions.LedgerTransaction
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.lang.reflect.Proxy
import java.util.UUID
import java.util.jar.JarInputStream

class AttachmentTest {
    private val sender = party("Sender")
    private val recipient = party("Recipient")
    private val notary = party("Notary")
    private val content = SecureHash.randomSHA256()
    private val good = Document(content, sender, recipient)

    private fun party(name: String) = Party(CordaX500Name(name, "London", "GB"), Crypto.generateKeyPair().public)

    /** A proxy, because Kotlin 1.2 cannot implement the interface, which has default methods of Java 8. */
    private fun attachment(id: SecureHash) = Proxy.newProxyInstance(javaClass.classLoader, arrayOf(Attachment::class.java)) { _, method, _ ->
        if (method.name == "getId") id else throw UnsupportedOperationException(method.name)
    } as Attachment

    @Suppress("DEPRECATION") // The constructor is for tests such as this one.
    private fun verify(outputs: List<Document>, inputs: List<Document> = emptyList(), attached: SecureHash = content,
                       signer: Party = sender) {
        val states = outputs.map { TransactionState(it, notary = notary) }
        val consumed = inputs.map { StateAndRef(TransactionState(it, notary = notary), StateRef(SecureHash.randomSHA256(), 0)) }
        val command = CommandWithParties(listOf(signer.owningKey), emptyList(), DocumentContract.Commands.Send())
        DocumentContract().verify(LedgerTransaction(consumed, states, listOf(command), listOf(attachment(attached)),
            SecureHash.randomSHA256(), notary, null, PrivacySalt()))
    }

    private fun refuses(rule: String, transaction: () -> Unit) {
        val error = assertThrows(IllegalArgumentException::class.java) { transaction() }
        assertEquals("Failed requirement: $rule", error.message)
    }

    @Test
    fun `a document is sent with its content by its sender`() {
        verify(listOf(good))
        assertEquals(listOf(sender, recipient), good.participants)
        refuses("the content is attached") { verify(listOf(good), attached = SecureHash.randomSHA256()) }
        refuses("the sender signs") { verify(listOf(good), signer = recipient) }
        refuses("sender and recipient are two parties") { verify(listOf(good.copy(recipient = sender))) }
        refuses("exactly one document is created") { verify(listOf(good, good)) }
        refuses("no input is consumed when a document is sent") { verify(listOf(good), listOf(good)) }
    }

    @Test
    fun `an archive has one file of the size, unique to its id`() {
        val id = UUID.randomUUID()
        val archive = randomArchive(id, 100_000)
        val jar = JarInputStream(archive.inputStream())
        assertEquals(id.toString(), jar.nextJarEntry.name)
        assertEquals(100_000, jar.readBytes().size)
        assertEquals(null, jar.nextJarEntry)
        assertTrue(archive.size in 100_000..100_500, "it has ${archive.size} bytes")
        assertArrayEquals(archive.copyOfRange(200, 99_000), randomArchive(id, 100_000).copyOfRange(200, 99_000))
        assertFalse(archive.contentEquals(randomArchive(UUID.randomUUID(), 100_000)))
    }

    @Test
    fun `an attachment fits into a message and a transaction`() {
        val megabyte = 1024 * 1024
        checkSize(1, 10 * megabyte, 500 * megabyte)
        checkSize(10 * megabyte - MESSAGE_OVERHEAD, 10 * megabyte, 500 * megabyte)
        checkSize(3 * megabyte, 10 * megabyte, 4 * megabyte)
        for ((bytes, transaction, most) in listOf(
            Triple(0, 500, 10 * megabyte - MESSAGE_OVERHEAD),
            Triple(10 * megabyte - MESSAGE_OVERHEAD + 1, 500, 10 * megabyte - MESSAGE_OVERHEAD),
            Triple(3 * megabyte + 1, 4, 3 * megabyte)
        )) {
            val error = assertThrows(FlowException::class.java) { checkSize(bytes, 10 * megabyte, transaction * megabyte) }
            assertEquals("bytes: must be from 1 to $most, but is $bytes: the network's maxMessageSize is ${10 * megabyte}" +
                " and its maxTransactionSize ${transaction * megabyte}", error.message)
        }
    }
}
