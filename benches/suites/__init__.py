"""Benchmark suites, one per module. Each module has a function `run(session)`."""
