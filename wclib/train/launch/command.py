"""``python -m wclib train grpo``: flags in, exit status out. The script is :mod:`wclib.train.grpo`."""

from __future__ import annotations

import argparse
import json

from wclib.train import say
from wclib.train.launch.flags import config_of
from wclib.train.launch.jobs import effective_job, submit
from wclib.train.launch.preflight import preflight


def launch(args: argparse.Namespace) -> int:
    """Check, then run here, submit a job, or stop after the checks (``--dry-run``). Returns the exit status.

    Raises:
        UsageError: flags that cannot work.
        InfrastructureFault: environment, disk or Hub failed; says how to go on.
    """
    config = config_of(args)
    job = effective_job(config, args)
    checks = preflight(config, job, dry_run=args.dry_run)
    say("\n".join(map(str, checks)))
    if args.dry_run or args.submit:
        say(job.text())
    if any(check.ok is False for check in checks):
        say("The preflight found faults: nothing was started.")
        return 1
    if args.dry_run:
        say("Dry run: nothing was started.")
        return 0
    if args.submit:
        return submit(job, follow=not args.detach, say=say)
    from wclib.train.launch.run import run_launch

    print(json.dumps(run_launch(config, say=say)), flush=True)
    return 0
