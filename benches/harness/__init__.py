"""Runs contenders side by side: workers, rounds, tables."""
