"""Panels of the consensus library's own metrics, which validators of Malachite and Emerald share."""

from .frame import Row
from .panels import Query, series, stat
from .promql import MEMBERS, mean, rate, select, sum_by

PREFIX = "malachitebft_core_consensus_"
# Avoids a division by zero while no block is decided.
LEAST_BLOCK_RATE = 0.001


def lag(height: str, block_rate: str):
    """Returns a stat of the time that the last validator is behind the first: the difference of the metric height at the current rate of
    blocks. A scrape interval of it is normal, because validators are scraped at different times."""
    heights = select(height, MEMBERS)
    return stat("Behind", "Time from a block at the first validator to the same block at the last, up to a scrape interval too long.",
                f"(max({heights}) - min({heights})) / clamp_min({block_rate}, {LEAST_BLOCK_RATE})", "s",
                ("green", ((15, "yellow"), (60, "red"))), decimals=1)


def row() -> Row:
    return Row("Consensus, by the library", [
        [
            series("Height", "Height that the validator decides on. One that lies below the others catches up, or stands still.",
                   [Query(sum_by(select(PREFIX + "height", MEMBERS), "member"), "{{member}}")], "none", least=None),
            series("Round", "Round of that height. Above zero a proposer was late or its proposal was refused.",
                   [Query(sum_by(select(PREFIX + "round", MEMBERS), "member"), "{{member}}")], "none"),
            series("Connected peers", "Validators that the validator is connected to.",
                   [Query(sum_by(select(PREFIX + "connected_peers", MEMBERS), "member"), "{{member}}")], "none"),
        ],
        [
            series("Time per block", "Mean time from the start of a height to its decision.",
                   [Query(mean(PREFIX + "time_per_block", MEMBERS, by=("member",)), "{{member}}")], "s"),
            series("Time per step", "Mean time of the steps of a round, over all chosen validators: where a block's time goes.",
                   [Query(mean(PREFIX + "time_per_step", MEMBERS, by=("step",)), "{{step}}")], "s"),
            series("Signatures", "Mean time to check a signature, and to make one.",
                   [Query(mean(PREFIX + "signature_verification_time", MEMBERS), "check"),
                    Query(mean(PREFIX + "signature_signing_time", MEMBERS), "make")], "s"),
        ],
        [
            series("Inputs in queue", "Messages for later heights that wait until consensus is there.",
                   [Query(sum_by(select(PREFIX + "queue_size", MEMBERS), "member"), "{{member}}")], "short"),
            series("Votes sent again", "Times per second that a validator repeats its vote, since no round made progress.",
                   [Query(sum_by(rate(PREFIX + "rebroadcast_timeouts_total", MEMBERS), "member"), "{{member}}")], "ops"),
        ],
    ])
