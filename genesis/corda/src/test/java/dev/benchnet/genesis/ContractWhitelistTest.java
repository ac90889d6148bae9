package dev.benchnet.genesis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.corda.core.crypto.SecureHash;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContractWhitelistTest {
    @TempDir
    Path folder;

    @Test
    void leavesSignedJarsOut() throws Exception {
        Files.copy(Finance.signedJar(), folder.resolve("finance.jar"));
        assertEquals(Collections.emptyMap(), ContractWhitelist.scanFolder(Optional.of(folder)));
    }

    @Test
    void listsTheJarOfEachContractOfAnUnsignedJar() throws Exception {
        Path jar = folder.resolve("finance.jar");
        Finance.writeUnsigned(jar);
        Map<String, List<SecureHash>> whitelist = ContractWhitelist.scanFolder(Optional.of(folder));
        assertTrue(whitelist.containsKey(Finance.CASH), whitelist.toString());
        assertTrue(whitelist.containsKey("net.corda.finance.contracts.CommercialPaper"), whitelist.toString());
        List<SecureHash> onlyThisJar = Collections.singletonList(SecureHash.sha256(Files.readAllBytes(jar)));
        whitelist.values().forEach(hashes -> assertEquals(onlyThisJar, hashes));
    }

    @Test
    void listsBothJarsThatHoldAContract() throws Exception {
        Finance.writeUnsigned(folder.resolve("a.jar"));
        Finance.writeUnsigned(folder.resolve("b.jar"));
        Files.write(folder.resolve("b.jar"), new byte[]{0}, java.nio.file.StandardOpenOption.APPEND);
        List<SecureHash> hashes = ContractWhitelist.scanFolder(Optional.of(folder)).get(Finance.CASH);
        assertEquals(Arrays.asList(hash("a.jar"), hash("b.jar")), hashes);
    }

    @Test
    void namesTheJarThatIsNone() throws Exception {
        Files.write(folder.resolve("broken.jar"), "not an archive".getBytes());
        InvalidInputException refusal = assertThrows(InvalidInputException.class, () -> ContractWhitelist.scanFolder(Optional.of(folder)));
        assertTrue(refusal.getMessage().startsWith("cordapps: broken.jar is not a readable jar"), refusal.getMessage());
    }

    @Test
    void isEmptyWithoutCordapps() throws Exception {
        assertEquals(Collections.emptyMap(), ContractWhitelist.scanFolder(Optional.empty()));
    }

    private SecureHash hash(String jar) throws Exception {
        return SecureHash.sha256(Files.readAllBytes(folder.resolve(jar)));
    }
}
