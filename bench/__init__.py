"""Measurements against a named baseline: one command, ratios first (docs/performance.md)."""
