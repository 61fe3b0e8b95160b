"""INFO server, cpu and dwell: the process, the machine, the modules."""

from __future__ import annotations

import os
import platform
import resource
import sys
from typing import TYPE_CHECKING

from dwell.server.versions import REDIS_VERSION, dwell_version

if TYPE_CHECKING:
    from dwell.server.context import Context

SECONDS_A_DAY = 86_400


def server(context: Context) -> dict[str, object]:
    """Who this is and since when."""
    settings = context.configuration.settings
    now_us = context.unix_us()
    uptime_s = (now_us - context.started_us) // 1_000_000
    return {
        "redis_version": REDIS_VERSION,
        "redis_git_sha1": "00000000",
        "redis_git_dirty": 0,
        "redis_build_id": "0",
        "redis_mode": "standalone",
        "server_name": "dwell",
        "dwell_version": dwell_version(),
        "os": f"{platform.system()} {platform.release()} {platform.machine()}",
        "arch_bits": 64 if sys.maxsize > 2**32 else 32,
        "multiplexing_api": "epoll" if sys.platform == "linux" else "kqueue",
        "process_id": os.getpid(),
        "process_supervised": "no",
        "run_id": context.run_id,
        "tcp_port": settings.port,
        "server_time_usec": now_us,
        "uptime_in_seconds": uptime_s,
        "uptime_in_days": uptime_s // SECONDS_A_DAY,
        "hz": 10,
        "configured_hz": 10,
        "lru_clock": (now_us // 1_000_000) & 0xFFFFFF,
        "executable": sys.executable,
        "config_file": "",
        "io_threads_active": 0,
    }


def cpu(_context: Context) -> dict[str, object]:
    """Processor seconds of this process and of its children."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "used_cpu_sys": f"{own.ru_stime:.6f}",
        "used_cpu_user": f"{own.ru_utime:.6f}",
        "used_cpu_sys_children": f"{children.ru_stime:.6f}",
        "used_cpu_user_children": f"{children.ru_utime:.6f}",
    }


def dwell(context: Context) -> dict[str, object]:
    """What Redis has no word for: the rule of placement, and the modules."""
    settings = context.configuration.settings
    told: dict[str, object] = {
        "placement": settings.placement,
        "durability": settings.durability,
        "log_resident": "yes" if settings.log_resident else "no",
        "directory": settings.directory or "",
    }
    for module in context.modules():
        reason = module.reason.replace(",", ";")
        told[f"module_{module.name}"] = (
            f"state={module.state},restarts={module.restarts},reason={reason}"
        )
    return told
