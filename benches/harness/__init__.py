"""Harness that runs contenders side by side: workers, rounds, tables."""
