"""An Emerald network: blocks of the validators, transactions of the execution clients."""

from . import consensus, links, load, resources, variables
from .frame import Row, board as framed
from .panels import PLAIN, Query, series, stat
from .promql import MEMBERS, NETWORK, max_by, rate, select, sum_by

CHAIN_BYTES, TRANSACTIONS = "app_channel_chain_bytes_total", "app_channel_txs_count_total"
HEIGHT = consensus.PREFIX + "height"
BLOCK_RATE = max_by(f"deriv({select(HEIGHT, MEMBERS)}[$__rate_interval])")


def board():
    return framed(
        "benchnet-emerald", "Emerald", "Validators and execution clients of one Emerald network: transactions, blocks, pools, peers.",
        variables.platform_variables(CHAIN_BYTES),
        [_overview(), load.row(), _blocks(), _execution(), consensus.row(),
         resources.row("member", "container", legend="{{member}} {{container}}"), resources.hosts(MEMBERS)],
        marks=load.window_marks(NETWORK), pages=[links.documentation_link("Emerald in benchnet", "emerald.md")],
    )


def _overview() -> Row:
    return Row("", [[
        stat("Transactions", "Transactions in decided blocks per second, by the validator that saw most: all see the same blocks.",
             max_by(rate(TRANSACTIONS, MEMBERS)), "suffix: tx/s", decimals=1),
        stat("Blocks", "Blocks decided per second.", BLOCK_RATE, "suffix: blocks/s", decimals=2),
        stat("Transactions in a block", "In the latest block, by the validator with the highest count.",
             max_by(select("app_channel_block_tx_count", MEMBERS)), "short"),
        stat("Height", "The highest height in consensus.", max_by(select(HEIGHT, MEMBERS)), "none"),
        consensus.lag(HEIGHT, BLOCK_RATE),
        stat("Validators", "Validators that are scraped.", f"count({select(HEIGHT, MEMBERS)})", "none", PLAIN),
    ]])


def _blocks() -> Row:
    return Row("Blocks", [[
        series("Transactions", "In decided blocks per second, by validator.",
               [Query(sum_by(rate(TRANSACTIONS, MEMBERS), "member"), "{{member}}")], "suffix: tx/s"),
        series("Transactions in a block", "In the last block, by validator.",
               [Query(sum_by(select("app_channel_block_tx_count", MEMBERS), "member"), "{{member}}")], "short"),
        series("Bytes decided", "Bytes of decided blocks per second, by validator.",
               [Query(sum_by(rate(CHAIN_BYTES, MEMBERS), "member"), "{{member}}")], "Bps"),
        series("Block size", "Of the last block, by validator.",
               [Query(sum_by(select("app_channel_block_size", MEMBERS), "member"), "{{member}}")], "bytes"),
    ]])


def _execution() -> Row:
    return Row("Execution clients (Reth)", [[
        series("Pool, executable", "Transactions in the pool that the next block could take.",
               [Query(sum_by(select("reth_transaction_pool_pending_pool_transactions", MEMBERS), "member"), "{{member}}")], "short"),
        series("Pool, waiting", "Transactions in the pool that wait for one before them of the same account.",
               [Query(sum_by(select("reth_transaction_pool_queued_pool_transactions", MEMBERS), "member"), "{{member}}")], "short"),
        series("Peers", "Execution clients that the client is connected to.",
               [Query(sum_by(select("reth_network_connected_peers", MEMBERS), "member"), "{{member}}")], "none"),
        series("Height", "Latest block of the client.",
               [Query(sum_by(select("reth_blockchain_tree_canonical_chain_height", MEMBERS), "member"), "{{member}}")], "none", least=None),
    ]])
