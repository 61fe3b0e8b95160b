"""INFO memory: what is in use, of what may be."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from dwell.server.commands.info.numbers import human, ratio

if TYPE_CHECKING:
    from dwell.server.context import Context


def memory(context: Context) -> dict[str, object]:
    """Values in memory, the process, the machine and the bound."""
    stats = context.engine.stats()
    settings = context.configuration.settings
    used = int(stats.get("used_bytes", 0))
    resident = resident_bytes()
    context.peak_bytes = max(context.peak_bytes, used)
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "used_memory": used,
        "used_memory_human": human(used),
        "used_memory_rss": resident,
        "used_memory_rss_human": human(resident),
        "used_memory_peak": context.peak_bytes,
        "used_memory_peak_human": human(context.peak_bytes),
        "used_memory_peak_perc": f"{100 * ratio(used, context.peak_bytes):.2f}%",
        "used_memory_dataset": used,
        "total_system_memory": total,
        "total_system_memory_human": human(total),
        "used_memory_lua": 0,
        "used_memory_scripts": 0,
        "number_of_cached_scripts": 0,
        "number_of_functions": 0,
        "number_of_libraries": 0,
        "maxmemory": settings.memory_bytes_max,
        "maxmemory_human": human(settings.memory_bytes_max),
        "maxmemory_policy": settings.memory_policy,
        "mem_fragmentation_ratio": f"{ratio(resident, used):.2f}",
        "mem_fragmentation_bytes": max(0, resident - used),
        "mem_allocator": "system",
        "active_defrag_running": 0,
        "lazyfree_pending_objects": 0,
    }


def resident_bytes() -> int:
    """The memory of this process that is in RAM; 0 where the system does not tell."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
