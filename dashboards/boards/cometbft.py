"""A CometBFT network: blocks, their time, rounds and size, the steps of the consensus, and waiting transactions."""

from . import consensus, links, load, resources, variables
from .frame import Row, board as framed
from .panels import PLAIN, Query, series, stat
from .promql import MEMBERS, NETWORK, max_by, mean, quantile, rate, select, sum_by

BLOCKS, HEIGHT, TRANSACTIONS = "cometbft_bench_blocks_total", "cometbft_bench_height", "cometbft_bench_transactions_total"
BLOCK_TIME, BLOCK_SIZE, BYTES = "cometbft_bench_block_time_seconds", "cometbft_bench_block_size_bytes", "cometbft_bench_block_bytes_total"
POOL = "cometbft_mempool_size"


def board():
    return framed(
        "benchnet-cometbft", "CometBFT", "Validators of one CometBFT network: blocks, block time, transactions, steps of the consensus, mempools, peers.",
        variables.platform_variables(BLOCKS),
        [_overview(), load.row(), _blocks(), _consensus(), _mempool(), resources.row(), resources.hosts(MEMBERS)],
        marks=load.window_marks(NETWORK), pages=[links.documentation_link("CometBFT in benchnet", "cometbft.md")],
    )


def _overview() -> Row:
    return Row("", [[
        stat("Blocks", "Blocks that the fastest validator decides per second: every validator decides every block.",
             max_by(rate(BLOCKS, MEMBERS)), "suffix: blocks/s", decimals=2),
        stat("Block time", "Mean time from decision to decision.", mean(BLOCK_TIME, MEMBERS), "s"),
        stat("Block time, 99th percentile", "Estimated from buckets that are 26 % apart.", quantile(0.99, BLOCK_TIME, MEMBERS), "s"),
        stat("Transactions", "Transactions in decided blocks per second.", max_by(rate(TRANSACTIONS, MEMBERS)), "suffix: tx/s", decimals=1),
        stat("Bytes decided", "Bytes of the transactions of decided blocks per second.", max_by(rate(BYTES, MEMBERS)), "Bps"),
        stat("Height", "The highest decided block.", max_by(select(HEIGHT, MEMBERS)), "none"),
        consensus.lag(HEIGHT, max_by(rate(BLOCKS, MEMBERS))),
        stat("Validators", "Validators that are scraped.", f"count({select(HEIGHT, MEMBERS)})", "none", PLAIN),
    ]])


def _blocks() -> Row:
    return Row("Blocks", [
        [
            series("Blocks decided", "Per second, by validator. One above the others is catching up.", _rates(BLOCKS), "suffix: blocks/s"),
            series("Block time", "Time from decision to decision, over all chosen validators.",
                   [Query(quantile(0.5, BLOCK_TIME, MEMBERS), "median"), Query(quantile(0.9, BLOCK_TIME, MEMBERS), "90th percentile"),
                    Query(quantile(0.99, BLOCK_TIME, MEMBERS), "99th percentile"), Query(mean(BLOCK_TIME, MEMBERS), "mean")], "s"),
            series("Transactions", "In decided blocks per second, by validator.", _rates(TRANSACTIONS), "suffix: tx/s"),
        ],
        [
            series("Block size", "Mean size of the transactions of decided blocks.", [Query(mean(BLOCK_SIZE, MEMBERS, by=("member",)), "{{member}}")], "bytes"),
            series("Later rounds", "Blocks per second that needed more than one round because their proposer was late or unavailable.",
                   _rates("cometbft_bench_rounds_above_zero_total"), "suffix: blocks/s"),
            series("Fetched from peers", "Decided blocks per second that a validator missed and got by block sync.",
                   _rates("cometbft_bench_blocks_synced_total"), "suffix: blocks/s"),
        ],
    ])


def _consensus() -> Row:
    return Row("Consensus, by the library", [[
        series("Time per step", "Mean time of the steps of a height, over all chosen validators: where a block's time goes.",
               [Query(mean("cometbft_consensus_step_duration_seconds", MEMBERS, by=("step",)), "{{step}}")], "s"),
        series("Missing validators", "Validators whose precommit the last block lacks. It needs only those of more than two thirds.",
               _values("cometbft_consensus_missing_validators"), "none"),
        series("Bytes sent by message", "Bytes per second that the chosen validators send to their peers, by type of message.",
               [Query(sum_by(rate("cometbft_p2p_message_send_bytes_total", MEMBERS), "message_type"), "{{message_type}}")], "Bps"),
        series("Connected peers", "Validators that the validator is connected to.", _values("cometbft_p2p_peers"), "none"),
    ]])


def _mempool() -> Row:
    return Row("Mempools (application KVStore)", [[
        series("Waiting transactions", "Transactions that wait for a block, by validator.", _values(POOL), "short"),
        series("Bytes of waiting transactions", "Size of the transactions that wait for a block.", _values("cometbft_mempool_size_bytes"), "bytes"),
        series("Rejected", "Transactions per second that the mempool did not take, mostly because it was full.", _rare("rejected"), "suffix: tx/s"),
        series("Evicted", "Transactions per second that a check after a block removed from the mempool.", _rare("evicted"), "suffix: tx/s"),
    ]])


def _rates(metric: str) -> list[Query]:
    """Returns the rate of a counter by validator."""
    return [Query(sum_by(rate(metric, MEMBERS), "member"), "{{member}}")]


def _values(metric: str) -> list[Query]:
    """Returns a gauge by validator."""
    return [Query(sum_by(select(metric, MEMBERS), "member"), "{{member}}")]


def _rare(fate: str) -> list[Query]:
    """Returns the rate of transactions with a fate, by validator: zero while CometBFT has no series of it, which is until the first."""
    counted, none = rate(f"cometbft_mempool_{fate}_txs", MEMBERS), f"0 * {sum_by(select(POOL, MEMBERS), 'member')}"
    return [Query(f"{sum_by(counted, 'member')} or {none}", "{{member}}")]
