package dev.benchnet.driver.corda;

/** The purpose of a flow. States of different purposes never share an issuer reference. */
public enum FlowPurpose { SetUp, WarmUp, Window }
