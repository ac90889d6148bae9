"""The PostgreSQL servers of networks."""

from . import links, load, resources, variables
from .frame import Row, board as framed, label_variable
from .panels import MORE_IS_BAD, READY, SHARE_OF_LIMIT, Query, series, stat
from .promql import NETWORK, rate, select, sum_by

SERVERS = NETWORK + ', database=~"$database"'
# Excludes the databases that every server has by default.
OWN = SERVERS + ', datname!~"template.*|postgres"'
BLOCK = 8192  # bytes of a block, as PostgreSQL is built


def board():
    return framed(
        "benchnet-postgresql", "PostgreSQL", "Database servers of one network: connections, waits, transactions, cache, write-ahead log.",
        [variables.namespace_variable("pg_up"), variables.network_variable("pg_up"),
         label_variable("database", "Server", f'label_values(pg_up{{{NETWORK}}}, database)', several=True)],
        [_overview(), _sessions(), _work(), _storage(), _machine()],
        marks=load.window_marks(NETWORK), pages=[links.documentation_link("Databases in benchnet", "databases.md")],
    )


def _overview() -> Row:
    hits, reads = sum_by(rate("pg_stat_database_blks_hit", OWN)), sum_by(rate("pg_stat_database_blks_read", OWN))
    connections = sum_by(select("pg_stat_database_numbackends", SERVERS), "database")
    return Row("", [[
        stat("Servers up", "Whether the exporters can query all their servers.", f"min({select('pg_up', SERVERS)})", "none", READY,
             texts={"0": ("down", "red"), "1": ("up", "green")}, sparkline=False),
        stat("Transactions", "Transactions committed per second, by all chosen servers.",
             sum_by(rate("pg_stat_database_xact_commit", OWN)), "suffix: tx/s", decimals=1),
        stat("Rolled back", "Share of the transactions that were rolled back.",
             f"{sum_by(rate('pg_stat_database_xact_rollback', OWN))} / "
             f"({sum_by(rate('pg_stat_database_xact_commit', OWN))} + {sum_by(rate('pg_stat_database_xact_rollback', OWN))} > 0)",
             "percentunit", ("green", ((0.05, "yellow"), (0.2, "red")))),
        stat("Connections of the limit", "Of the server with the most connections in use.",
             f"max({connections} / {sum_by(select('pg_settings_max_connections', SERVERS), 'database')})", "percentunit", SHARE_OF_LIMIT),
        stat("Found in memory", "Share of block reads served from the server's buffers.", f"{hits} / ({hits} + {reads} > 0)", "percentunit",
             ("red", ((0.9, "yellow"), (0.99, "green")))),
        stat("Deadlocks", "In the selected time range.", sum_by(f"increase({select('pg_stat_database_deadlocks', OWN)}[$__range])"), "none",
             MORE_IS_BAD, decimals=0),
        stat("Size", "Of all databases of the network.", sum_by(select("pg_database_size_bytes", OWN)), "bytes"),
    ]])


def _sessions() -> Row:
    return Row("Sessions", [[
        series("Connections", "Connections by server.",
               [Query(sum_by(select("pg_stat_database_numbackends", SERVERS), "database"), "{{database}}")], "short"),
        series("Sessions by state", "Sessions that are idle in a transaction hold locks while their client does something else.",
               [Query(sum_by(select("pg_stat_activity_count", OWN), "state") + " > 0", "{{state}}")], "short", stacked=True),
        series("Wait events of sessions", "Sessions that are active and wait, by what for: Lock is another transaction, IO a file, "
               "LWLock the server itself, Client the node.",
               [Query(sum_by(select("pg_stat_activity_count", OWN, 'state="active"', 'wait_event_type!=""'), "wait_event_type") + " or vector(0)",
                      "{{wait_event_type}}")], "short", stacked=True),
        series("Locks", "Locks that are held, by mode.", [Query(sum_by(select("pg_locks_count", OWN), "mode") + " > 0", "{{mode}}")], "short"),
    ]])


def _work() -> Row:
    return Row("Work", [
        [
            series("Transactions committed", "Per second, by database.",
                   [Query(sum_by(rate("pg_stat_database_xact_commit", OWN), "database", "datname"), "{{database}} {{datname}}")], "suffix: tx/s"),
            series("Transactions rolled back", "Per second, by database.",
                   [Query(sum_by(rate("pg_stat_database_xact_rollback", OWN), "database", "datname"), "{{database}} {{datname}}")], "suffix: tx/s"),
            series("Time of active sessions", "Sessions that work on a statement, in the mean of the interval.",
                   [Query(sum_by(rate("pg_stat_database_active_time_seconds_total", OWN), "database"), "{{database}}")], "short"),
        ],
        [
            series("Rows written", "Rows inserted, updated and deleted per second.",
                   [Query(sum_by(rate("pg_stat_database_tup_inserted", OWN)), "inserted"),
                    Query(sum_by(rate("pg_stat_database_tup_updated", OWN)), "updated"),
                    Query(sum_by(rate("pg_stat_database_tup_deleted", OWN)), "deleted")], "suffix: rows/s"),
            series("Rows read", "Rows fetched by index and rows returned by sequential scans, per second.",
                   [Query(sum_by(rate("pg_stat_database_tup_fetched", OWN)), "fetched by index"),
                    Query(sum_by(rate("pg_stat_database_tup_returned", OWN)), "returned in all")], "suffix: rows/s"),
            series("Found in memory", "Share of block reads served from the server's buffers, by server.",
                   [Query(f"{sum_by(rate('pg_stat_database_blks_hit', OWN), 'database')} / ({sum_by(rate('pg_stat_database_blks_hit', OWN), 'database')} + "
                          f"{sum_by(rate('pg_stat_database_blks_read', OWN), 'database')} > 0)", "{{database}}")], "percentunit", least=None, most=1),
        ],
    ])


def _storage() -> Row:
    return Row("Storage", [[
        series("Size of databases", "On disk, indexes included.",
               [Query(sum_by(select("pg_database_size_bytes", OWN), "database", "datname"), "{{database}} {{datname}}")], "bytes"),
        series("Write-ahead log", "Size of the files, which are kept until a checkpoint.",
               [Query(sum_by(select("pg_wal_size_bytes", SERVERS), "database"), "{{database}}")], "bytes"),
        series("Buffers written", "Bytes per second: by checkpoints, and by sessions that found no clean buffer.",
               [Query(f"{sum_by(rate('pg_stat_bgwriter_buffers_checkpoint_total', SERVERS))} * {BLOCK}", "checkpoints"),
                Query(f"{sum_by(rate('pg_stat_bgwriter_buffers_backend_total', SERVERS))} * {BLOCK}", "sessions")], "Bps"),
        series("Temporary files", "Bytes per second that sorts and hashes wrote to files because work_mem was too small.",
               [Query(sum_by(rate("pg_stat_database_temp_bytes", OWN), "database"), "{{database}}")], "Bps"),
    ]])


def _machine() -> Row:
    return Row("Resources of the servers", [[
        series("CPU", "Cores that the server uses.", [Query(sum_by(rate(resources.CPU, SERVERS), "database"), "{{database}}")], "cores"),
        series("CPU used of the limit", "Share of the server's CPU limit that is used.",
               [Query(f"{sum_by(rate(resources.CPU, SERVERS), 'database')} / {sum_by(select(resources.LIMIT, SERVERS), 'database')}", "{{database}}")],
               "percentunit", steps=SHARE_OF_LIMIT),
        series("Memory", "Working set of the server: its own memory and the active page cache.",
               [Query(sum_by(select(resources.MEMORY, SERVERS), "database"), "{{database}}")], "bytes"),
        series("Free space on the volume", "Share of the volume that is still free.",
               [Query(f"min by (database) ({select('benchnet_volume_available_bytes', SERVERS)} / {select('benchnet_volume_size_bytes', SERVERS)})",
                      "{{database}}")], "percentunit", most=1, steps=("red", ((0.1, "yellow"), (0.2, "green")))),
    ]])
