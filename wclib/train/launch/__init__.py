"""The launch on a GPU: flags, preflight, adapter coverage, the run, its pushes and the Hub job.

:mod:`wclib.train.grpo` is the script that puts them together; notebook 09 walks through them.
"""
