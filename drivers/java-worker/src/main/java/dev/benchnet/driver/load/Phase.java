package dev.benchnet.driver.load;

/** WarmUp is discarded and Window is measured. In Drain no operation is due, and operations in flight may end. */
public enum Phase { WarmUp, Window, Drain }
