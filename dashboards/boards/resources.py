"""Panels of the metrics that the agent in every pod reports of its container, pod and host, for all platforms."""

from .frame import Row
from .panels import SHARE_OF_LIMIT, Query, series
from .promql import MEMBERS, max_by, rate, select, sum_by

CPU, LIMIT = "benchnet_container_cpu_usage_seconds_total", "benchnet_container_cpu_limit_cores"
MEMORY, MEMORY_LIMIT = "benchnet_container_memory_working_set_bytes", "benchnet_container_memory_limit_bytes"


def row(*who: str, matchers: str = MEMBERS, legend: str = "{{member}}") -> Row:
    """Returns the row of members' resources. The labels in who identify a container."""
    who = who or ("member",)
    return Row("Resources of the members", [
        [
            series("CPU", "Cores that the container uses. At its limit it is throttled.",
                   [Query(sum_by(rate(CPU, matchers), *who), legend)], "cores"),
            series("CPU used of the limit", "Share of the CPU limit in use. Containers without a limit are not shown.",
                   [Query(f"{sum_by(rate(CPU, matchers), *who)} / {sum_by(select(LIMIT, matchers), *who)}", legend)],
                   "percentunit", steps=SHARE_OF_LIMIT),
            series("Throttled", "Share of the quota periods in which the container had used up its CPU before the period's end. "
                   "Latencies are then those of the limit.",
                   [Query(f"{sum_by(rate('benchnet_container_cpu_throttled_periods_total', matchers), *who)} / "
                          f"({sum_by(rate('benchnet_container_cpu_periods_total', matchers), *who)} > 0)", legend)],
                   "percentunit", most=1, steps=("green", ((0.05, "yellow"), (0.25, "red")))),
        ],
        [
            series("Memory", "Working set: memory in use without the reclaimable page cache.",
                   [Query(sum_by(select(MEMORY, matchers), *who), legend)], "bytes"),
            series("Memory used of the limit", "Share of the memory limit. At 100 % the kernel kills the container.",
                   [Query(f"{sum_by(select(MEMORY, matchers), *who)} / {sum_by(select(MEMORY_LIMIT, matchers), *who)}", legend)],
                   "percentunit", steps=SHARE_OF_LIMIT),
            series("Network", "Bytes that the pod sends, and below zero those that it receives.",
                   [Query(max_by(rate("benchnet_pod_network_sent_bytes_total", matchers), "member"), "{{member}} sent"),
                    Query(f"-{max_by(rate('benchnet_pod_network_received_bytes_total', matchers), 'member')}", "{{member}} received")],
                   "Bps", least=None),
            series("Free space on the volume", "Share of the member's volume that is still free. Below 10 % Corda's brokers stop accepting messages.",
                   [Query(f"min by (member) ({select('benchnet_volume_available_bytes', matchers)} / {select('benchnet_volume_size_bytes', matchers)})",
                          "{{member}}")], "percentunit", most=1, steps=("red", ((0.1, "yellow"), (0.2, "green")))),
        ],
    ])


def hosts(matchers: str) -> Row:
    """Returns the row of hosts. Their pods report the metrics, since a host has no agent of its own."""
    return Row("Machines", [[
        series("Host CPU", "Share of its CPUs that the machine of a pod uses, by all that runs on it. Above 80 % the load and what is "
               "measured disturb each other.",
               [Query(f"{max_by(rate('benchnet_host_cpu_busy_seconds_total', matchers), 'member')} / "
                      f"{max_by(select('benchnet_host_cpus', matchers), 'member')}", "{{member}}")],
               "percentunit", most=1, steps=SHARE_OF_LIMIT),
        series("Stolen CPU", "Share of its CPUs that the hypervisor gave to other machines while this one was ready to run. No benchmark is "
               "reliable above about 1 %.",
               [Query(f"{max_by(rate('benchnet_host_cpu_steal_seconds_total', matchers), 'member')} / "
                      f"{max_by(select('benchnet_host_cpus', matchers), 'member')}", "{{member}}")],
               "percentunit", steps=("green", ((0.01, "red"),))),
        series("Waiting for disks", "Share of time in which some task of the machine waited for a disk.",
               [Query(max_by(rate("benchnet_host_io_pressure_seconds_total", matchers), "member"), "{{member}}")],
               "percentunit", steps=("green", ((0.2, "yellow"),))),
    ]])
