"""One file for each target, named after its id; `bench.registry` lists them."""
