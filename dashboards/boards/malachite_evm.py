"""A MalachiteEVM network: blocks of the validators, transactions, and the geths that build and execute them."""

from . import consensus, links, load, resources, variables
from .frame import Row, board as framed
from .panels import PLAIN, Query, series, stat
from .promql import MEMBERS, NETWORK, max_by, mean, quantile, rate, select, sum_by

BLOCKS, HEIGHT, TRANSACTIONS = "malachite_bench_blocks_total", "malachite_bench_height", "malachite_bench_transactions_total"
BLOCK_TIME, POOL = "malachite_bench_block_time_seconds", "txpool_pending"


def board():
    return framed(
        "benchnet-malachite-evm", "MalachiteEVM", "Validators and geths of one MalachiteEVM network: transactions, blocks, requests to geth, pools.",
        variables.platform_variables(POOL),
        [_overview(), load.row(), _blocks(), _requests(), _execution(), consensus.row(),
         resources.row("member", "container", legend="{{member}} {{container}}"), resources.hosts(MEMBERS)],
        marks=load.window_marks(NETWORK), pages=[links.documentation_link("MalachiteEVM in benchnet", "malachite-evm.md")],
    )


def _overview() -> Row:
    return Row("", [[
        stat("Transactions", "Transactions in decided blocks per second, by the validator that saw most: all see the same blocks.",
             max_by(rate(TRANSACTIONS, MEMBERS)), "suffix: tx/s", decimals=1),
        stat("Blocks", "Blocks decided per second.", max_by(rate(BLOCKS, MEMBERS)), "suffix: blocks/s", decimals=2),
        stat("Block time", "Mean time from decision to decision.", mean(BLOCK_TIME, MEMBERS), "s"),
        stat("Height", "The highest decided block.", max_by(select(HEIGHT, MEMBERS)), "none"),
        consensus.lag(HEIGHT, max_by(rate(BLOCKS, MEMBERS))),
        stat("Validators", "Validators that are scraped.", f"count({select(HEIGHT, MEMBERS)})", "none", PLAIN),
    ]])


def _blocks() -> Row:
    return Row("Blocks", [[
        series("Transactions", "In decided blocks per second, by validator.",
               [Query(sum_by(rate(TRANSACTIONS, MEMBERS), "member"), "{{member}}")], "suffix: tx/s"),
        series("Block time", "Time from decision to decision, over all chosen validators.",
               [Query(quantile(0.5, BLOCK_TIME, MEMBERS), "median"), Query(quantile(0.99, BLOCK_TIME, MEMBERS), "99th percentile"),
                Query(mean(BLOCK_TIME, MEMBERS), "mean")], "s"),
        series("Block size", "Mean size of decided blocks.",
               [Query(mean("malachite_bench_block_size_bytes", MEMBERS, by=("member",)), "{{member}}")], "bytes"),
        series("Empty blocks", "Decided blocks without transactions per second.",
               [Query(sum_by(rate("malachite_bench_empty_blocks_total", MEMBERS), "member"), "{{member}}")], "suffix: blocks/s"),
    ]])


def _requests() -> Row:
    def time(request: str) -> list[Query]:
        return [Query(mean(f"malachite_bench_{request}_seconds", MEMBERS, by=("member",)), "{{member}}")]
    return Row("Requests to geth", [[
        series("Time to build", "Mean time of building a block, by the validator that proposes it.", time("build"), "s"),
        series("Time to execute", "Mean time of executing a block.", time("execute"), "s"),
        series("Time to finalize", "Mean time of making a decided block the head.", time("finalize"), "s"),
        series("Failed requests", "Failed attempts per second. The validator repeats them.",
               [Query(sum_by(rate("malachite_bench_execution_errors_total", MEMBERS), "member"), "{{member}}")], "ops"),
    ]])


def _execution() -> Row:
    return Row("geth", [[
        series("Pool, executable", "Transactions in the pool that the next block could take.",
               [Query(sum_by(select(POOL, MEMBERS), "member"), "{{member}}")], "short"),
        series("Pool, waiting", "Transactions in the pool that wait for one before them of the same account.",
               [Query(sum_by(select("txpool_queued", MEMBERS), "member"), "{{member}}")], "short"),
        series("Peers", "Other geths that the geth is connected to.",
               [Query(sum_by(select("p2p_peers", MEMBERS), "member"), "{{member}}")], "none"),
        series("Height", "Latest block of the geth.",
               [Query(sum_by(select("chain_head_block", MEMBERS), "member"), "{{member}}")], "none", least=None),
    ]])
