"""Seeds of random tests: printed, so that a failure can be repeated with the same choices."""

import os
import random


def new_seed() -> int:
    """Return `DWELL_TEST_SEED`, or a fresh seed, and print it; pytest shows it on failure."""
    seed = int(os.environ.get("DWELL_TEST_SEED", random.SystemRandom().randrange(1 << 32)))
    print(f"DWELL_TEST_SEED={seed}")
    return seed
