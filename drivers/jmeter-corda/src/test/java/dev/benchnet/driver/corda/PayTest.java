package dev.benchnet.driver.corda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PayTest {
    @Test
    void severalCoinsAreIssuedForEachFlowInFlight() {
        assertEquals(10, Pay.coinsPerMember(1, 1));
        assertEquals(30, Pay.coinsPerMember(10, 1));
        assertEquals(12, Pay.coinsPerMember(10, 3), "4 flows at most on each of 3 members");
    }
}
