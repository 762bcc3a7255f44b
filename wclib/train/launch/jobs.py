"""The launch as a Hub job: what it would run, and running it.

A job gets our code as a wheel: built here and uploaded to a private dataset of yours beside the script, both at one
commit, or a URL you give. The script's own header then names that wheel, so ``uv run`` installs exactly what was
checked. The time limit is always explicit: the Hub's own is 30 minutes, and a job's disk vanishes with it.

    cancel       hf jobs cancel JOB_ID
    resume       the same command; add --resume-from-checkpoint OWNER/NAME (the pushed run), as a new job has no disk
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import os
import re
import shlex
import tempfile
import textwrap
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wclib.env.token import VARIABLE, token_from_env
from wclib.errors import UsageError
from wclib.hub.upload import client, hub_answers
from wclib.train.launch.flags import LaunchConfig

SCRIPT = Path(__file__).resolve().parents[1] / "grpo.py"
IMAGE = "ghcr.io/astral-sh/uv:python3.12-bookworm"
REPO = "wclib-jobs"
_HEADER = re.compile(r"^# /// script\n((?:#.*\n)*?)# ///$", re.M)
_WEIGHTS = r"WATERCOLOUR_[A-Z]+_WEIGHT"
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
#: Variables the launch reads; a secret goes by name, never by value, into anything that is printed.
SECRETS = ("HF_TOKEN", VARIABLE)


def header() -> dict[str, Any]:
    """The script's PEP 723 header: ``requires-python``, ``dependencies``, ``tool``."""
    found = _HEADER.search(SCRIPT.read_text())
    assert found, "the script has lost its header"
    return tomllib.loads("".join(line[1:].lstrip(" ") + "\n" for line in found[1].splitlines()))


def script_with_wheel(url: str) -> str:
    """The script's text, its header naming our wheel at ``url`` instead of the neighbouring clone."""
    text = SCRIPT.read_text()
    text = text.replace('"wclib[train]"', f'"wclib[train] @ {url}"', 1)
    return re.sub(r"#\n# \[tool\.uv\.sources\]\n# wclib = .*\n", "", text, count=1)


@dataclass(frozen=True)
class Job:
    """A job as the Hub would get it; ``flavor`` None means: here, on this machine.

    Attributes:
        arguments: the script's, without those about the job.
        wheel: URL of our code, or None when it is built and uploaded on submitting.
        submit: whether starting it was asked for.
        secrets: their names; the values are read when the job is submitted.
        settings: variables it gets openly: the reward's weights set here, so that the job's preflight wants the same.
    """

    flavor: str | None
    timeout: str | None
    image: str
    arguments: list[str]
    wheel: str | None
    namespace: str | None
    submit: bool
    secrets: tuple[str, ...] = SECRETS[:1]
    settings: dict[str, str] = field(default_factory=dict)
    dependencies: list[str] = field(default_factory=list)

    @property
    def remote(self) -> bool:
        """Whether it runs on the Hub's hardware."""
        return self.submit or self.flavor is not None

    @property
    def seconds(self) -> int | None:
        """The time limit in seconds; None when none was given.

        Raises:
            UsageError: it cannot be read.
        """
        if self.timeout is None:
            return None
        found = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd]?)", self.timeout)
        if not found or float(found[1]) <= 0:
            raise UsageError(f"--timeout {self.timeout}: give a number with s, m, h or d behind it, such as 20h")
        return int(float(found[1]) * _UNITS[found[2] or "s"])

    def text(self) -> str:
        """The effective job, for a person; secrets by name."""
        where = self.flavor or ("not given" if self.submit else "none: it runs on this machine")
        limit = self.timeout or ("not given" if self.remote else "none")
        with contextlib.suppress(UsageError):  # the preflight says what is wrong with it
            limit += f" ({self.seconds} s)" if self.timeout else ""
        lines = [
            "Effective job",
            f"  flavour       {where}",
            f"  timeout       {limit}",
            f"  image         {self.image}",
        ]
        lines.append(f"  namespace     {self.namespace or 'the owner of the token'}")
        lines += [f"  {'dependencies' if i == 0 else '':<13} {name}" for i, name in enumerate(self.dependencies)]
        lines.append(f"  script        wclib/train/{SCRIPT.name}")
        arguments = textwrap.wrap(shlex.join(self.arguments), 96, break_long_words=False, break_on_hyphens=False)
        lines += [f"  {'arguments' if i == 0 else '':<13} {part}" for i, part in enumerate(arguments)]
        lines.append(f"  settings      {shlex.join(f'{k}={v}' for k, v in self.settings.items()) or 'none'}")
        lines.append(f"  secrets       {', '.join(self.secrets)} (by name)")
        return "\n".join(lines)


def effective_job(config: LaunchConfig, args: argparse.Namespace) -> Job:
    """What the flags come to as a job."""
    wheel = args.wheel
    shown = wheel or "the wheel of this clone, built and uploaded on --submit"
    dependencies = [f"wclib[train] @ {shown}" if name == "wclib[train]" else name for name in header()["dependencies"]]
    return Job(
        flavor=args.flavor,
        timeout=args.timeout,
        image=args.image or IMAGE,
        arguments=arguments_of(config),
        wheel=wheel,
        namespace=args.namespace,
        submit=args.submit,
        secrets=SECRETS if token_from_env() else SECRETS[:1],
        settings={name: os.environ[name] for name in sorted(os.environ) if re.fullmatch(_WEIGHTS, name)},
        dependencies=dependencies,
    )


def arguments_of(config: LaunchConfig) -> list[str]:
    """The command line that makes these settings: what differs from the defaults."""
    out: list[str] = []
    for item in dataclasses.fields(LaunchConfig):
        value, flag = getattr(config, item.name), "--" + item.name.replace("_", "-")
        if value == item.default:
            continue
        if isinstance(value, tuple):
            out += [part for url in value for part in (flag, url)]
        elif value is True or value == "":
            out.append(flag)
        else:
            out += [flag, str(value)]
    return out


def submit(job: Job, follow: bool = True, say: Callable[[str], None] = print) -> int:
    """Upload the code, start the job, follow its logs. Returns 0 when the job completed (or was only started), else 1.

    Raises:
        UsageError: no time limit, no flavour, no token, or the Hub refused.
        InfrastructureFault: the Hub could not be reached.
    """
    if job.seconds is None or job.flavor is None:
        raise UsageError("a job needs --flavor and an explicit --timeout: the Hub's own is 30 minutes, a step takes 15")
    api = client("submitting a job")
    with hub_answers("submitting a job"):
        namespace = job.namespace or api.whoami()["name"]
        script, wheel = _upload_code(api, namespace, job.wheel)
        say(f"code: {wheel}\nscript: {script}")
        started = api.run_uv_job(
            script,
            script_args=job.arguments,
            image=job.image,
            flavor=job.flavor,
            timeout=job.timeout,
            secrets={name: token_from_env() if name == VARIABLE else api.token for name in job.secrets},
            env={"PYTHONUNBUFFERED": "1", **job.settings},
            namespace=namespace,
        )
        say(f"job: {started.url}\ncancel it with: hf jobs cancel {started.id}")
        if not follow:
            return 0
        for line in api.fetch_job_logs(job_id=started.id, namespace=namespace, follow=True):
            say(line.rstrip("\n"))
        stage = str(getattr(api.inspect_job(job_id=started.id, namespace=namespace).status, "stage", ""))
    say(f"the job ended: {stage}")
    return 0 if "COMPLETED" in stage else 1


def _upload_code(api: Any, namespace: str, wheel: str | None) -> tuple[str, str]:
    """``(script URL, wheel URL)``: what is not there yet is built and uploaded, each pinned to its commit."""
    from huggingface_hub import CommitOperationAdd

    repo = f"{namespace}/{REPO}"
    base = f"{api.endpoint}/datasets/{repo}/resolve"
    api.create_repo(repo, repo_type="dataset", private=True, exist_ok=True)

    def commit(name: str, content: bytes) -> str:
        done = api.create_commit(
            repo,
            [CommitOperationAdd(name, content)],
            repo_type="dataset",
            commit_message=f"Launch code: {name}",
        )
        return f"{base}/{done.oid}/{name}"

    if wheel is None:
        from wclib.hub import build_wheel

        with tempfile.TemporaryDirectory() as scratch:
            built = build_wheel(Path(scratch) / "wheel")
            wheel = commit(f"wheels/{built.name}", built.read_bytes())
    return commit("grpo.py", script_with_wheel(wheel).encode()), wheel
