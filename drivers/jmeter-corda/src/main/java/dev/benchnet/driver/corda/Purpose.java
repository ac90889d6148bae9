package dev.benchnet.driver.corda;

/** Why a flow is started; states of different purposes never share an issuer reference. */
public enum Purpose { SetUp, WarmUp, Window }
