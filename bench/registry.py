"""The targets by their ids, in the order of the list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.targets import (
    t1_one_client,
    t2_many_clients,
    t3_pipelines,
    t4_disk_home,
    t4s_sustained,
    t5_always,
    t8_in_process,
    t10_prefix_scan,
    t11_memory_per_key,
    t12_growth_pause,
    t13_start,
    t20_respite,
    t21_connections,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.harness.bench import Bench
    from bench.harness.report import Report

TARGETS: dict[str, Callable[[Bench], Report]] = {
    "T1": t1_one_client.run,
    "T2": t2_many_clients.run,
    "T3": t3_pipelines.run,
    "T4": t4_disk_home.run,
    "T4s": t4s_sustained.run,
    "T5": t5_always.run,
    "T8": t8_in_process.run,
    "T10": t10_prefix_scan.run,
    "T11": t11_memory_per_key.run,
    "T12": t12_growth_pause.run,
    "T13": t13_start.run,
    "T20": t20_respite.run,
    "T21": t21_connections.run,
}
