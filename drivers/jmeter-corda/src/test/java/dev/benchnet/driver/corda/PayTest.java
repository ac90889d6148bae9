package dev.benchnet.driver.corda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PayTest {
    @Test
    void severalCoinsAreIssuedForEachFlowInFlight() {
        assertEquals(10, Pay.coins(1, 1));
        assertEquals(30, Pay.coins(10, 1));
        assertEquals(12, Pay.coins(10, 3), "4 flows at most on each of 3 members");
    }
}
