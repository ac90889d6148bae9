package dev.benchnet.driver.load;

/** WarmUp is discarded, Window is measured; in Drain nothing is due any more and what is in flight may end. */
public enum Phase { WarmUp, Window, Drain }
