"""Benchmarks: each prints what it measured on this machine, and with ``--json`` one object for a notebook to plot."""
