"""A Malachite network: blocks, their time, rounds and size."""

from . import consensus, links, load, resources, variables
from .frame import Row, board as framed
from .panels import PLAIN, Query, series, stat
from .promql import MEMBERS, NETWORK, max_by, mean, quantile, rate, select, sum_by

BLOCKS = "malachite_bench_blocks_total"
BLOCK_TIME, CONSENSUS_TIME = "malachite_bench_block_time_seconds", "malachite_bench_consensus_time_seconds"


def board():
    return framed(
        "benchnet-malachite", "Malachite", "Validators of one Malachite network: block rate and time, rounds, bytes, peers.",
        variables.platform_variables(BLOCKS), [_overview(), load.row(), _blocks(), consensus.row(), resources.row(), resources.hosts(MEMBERS)],
        marks=load.window_marks(NETWORK), pages=[links.documentation_link("Malachite in benchnet", "malachite.md")],
    )


def _overview() -> Row:
    return Row("", [[
        stat("Blocks", "Blocks that the fastest validator decides per second: every validator decides every block.",
             max_by(rate(BLOCKS, MEMBERS)), "suffix: blocks/s", decimals=2),
        stat("Block time", "Mean time from decision to decision.", mean(BLOCK_TIME, MEMBERS), "s"),
        stat("Block time, 99th percentile", "Estimated from buckets that are 26 % apart.", quantile(0.99, BLOCK_TIME, MEMBERS), "s"),
        stat("Bytes decided", "Bytes of decided blocks per second.", max_by(rate("malachite_bench_block_bytes_total", MEMBERS)), "Bps"),
        stat("Height", "The highest decided block.", max_by(select("malachite_bench_height", MEMBERS)), "none"),
        consensus.lag("malachite_bench_height", max_by(rate(BLOCKS, MEMBERS))),
        stat("Validators", "Validators that are scraped.", f"count({select('malachite_bench_height', MEMBERS)})", "none", PLAIN),
    ]])


def _blocks() -> Row:
    return Row("Blocks", [
        [
            series("Blocks decided", "Per second, by validator. One above the others is catching up.",
                   [Query(sum_by(rate(BLOCKS, MEMBERS), "member"), "{{member}}")], "suffix: blocks/s"),
            series("Block time", "Time from decision to decision, over all chosen validators.",
                   [Query(quantile(0.5, BLOCK_TIME, MEMBERS), "median"), Query(quantile(0.9, BLOCK_TIME, MEMBERS), "90th percentile"),
                    Query(quantile(0.99, BLOCK_TIME, MEMBERS), "99th percentile"), Query(mean(BLOCK_TIME, MEMBERS), "mean")], "s"),
            series("Time of consensus", "Time from the start of a height to its decision, by validator: the block time without the pause between blocks.",
                   [Query(mean(CONSENSUS_TIME, MEMBERS, by=("member",)), "{{member}}")], "s"),
        ],
        [
            series("Bytes decided", "Bytes of decided blocks per second, by validator.",
                   [Query(sum_by(rate("malachite_bench_block_bytes_total", MEMBERS), "member"), "{{member}}")], "Bps"),
            series("Block size", "Mean size of decided blocks.",
                   [Query(mean("malachite_bench_block_size_bytes", MEMBERS, by=("member",)), "{{member}}")], "bytes"),
            series("Later rounds", "Blocks per second that needed more than one round because their proposer was late or unavailable.",
                   [Query(sum_by(rate("malachite_bench_rounds_above_zero_total", MEMBERS), "member"), "{{member}}")], "suffix: blocks/s"),
            series("Fetched from peers", "Decided blocks per second that a validator missed and fetched from another.",
                   [Query(sum_by(rate("malachite_bench_blocks_synced_total", MEMBERS), "member"), "{{member}}")], "suffix: blocks/s"),
        ],
    ])
