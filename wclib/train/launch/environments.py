"""The preflight's checks of the environments: there, healthy, paying as wanted, and one golden reply scored whole."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit

from wclib.errors import InfrastructureFault, UsageError
from wclib.train.launch.flags import LaunchConfig
from wclib.train.launch.jobs import Job

_LOCAL = ("127.0.0.1", "localhost", "::1", "0.0.0.0")
_GOLDEN_SEED = 7


@dataclass(frozen=True)
class Check:
    """``ok`` is True, False, or None for "not checked"; ``remedy`` is empty unless it failed."""

    name: str
    ok: bool | None
    detail: str
    remedy: str = ""

    def __str__(self) -> str:
        mark = {True: "[OK]", False: "[FAIL]", None: "[not checked]"}[self.ok]
        return f"{mark:<13} {self.name}: {self.detail}" + (f"\n{'':14}-> {self.remedy}" if self.remedy else "")


def environment_checks(config: LaunchConfig, job: Job, dry_run: bool) -> list[Check]:
    """Check every environment of a launch; in a dry run one that cannot be reached is "not checked"."""
    if not config.env_url:
        if job.remote:
            return [Check("environment", False, "none given, and a job has no browser", "--env-url; wclib publish env")]
        return [Check("environment", True, "one is started here for the length of the run")]
    checks, reports = [], {}
    for url in config.env_url:
        if job.remote and urlsplit(url).hostname in _LOCAL:
            checks.append(Check(url, False, "a job cannot reach this machine's loopback", "publish the environment"))
            continue
        checks += _one_environment(url, config, dry_run, reports.setdefault)
    from wclib.train.runlog import differences

    first, *others = reports.items() or [(None, None)]
    for url, other in others:
        if changed := differences(first[1], other):
            checks.append(
                Check(url, False, f"pays otherwise than {first[0]} ({changed})", "serve all from one setting")
            )
    return checks


def _one_environment(
    url: str, config: LaunchConfig, dry_run: bool, keep: Callable[[str, dict[str, Any]], Any]
) -> list[Check]:
    from wclib.train.scoring import health_report
    from wclib.weights import weights_from_env

    try:
        seen = health_report(url)
    except InfrastructureFault as fault:
        unhealthy = "is not healthy" in fault.detail
        remedy = "mend what it names and start it again" if unhealthy else "start it: python -m wclib serve"
        if dry_run and not unhealthy:
            return [Check("environment", None, fault.detail)]
        return [Check("environment", False, fault.detail, remedy)]
    wanted, pays = asdict(weights_from_env()), seen.get("weights")
    keep(url, {name: seen.get(name) for name in ("weights", "judge", "quality", "pool", "references")})
    checks = [Check("environment", True, f"{url}: {seen.get('judge')}, {seen.get('renderer')}")]
    if pays != wanted:
        checks.append(
            Check(
                "weights",
                False,
                f"{url} pays {pays}, wanted are {wanted}",
                "set the WATERCOLOUR_*_WEIGHT variables alike here and on the environment's side",
            )  # fmt: skip
        )
    else:
        checks.append(Check("weights", True, ", ".join(f"{name} {value:g}" for name, value in wanted.items())))
    rollouts = -(-config.generation_batch // len(config.env_url))
    slots = (seen.get("sessions") or {}).get("max", rollouts)
    if slots < rollouts:
        checks.append(
            Check(
                "sessions", False, f"{url} takes {slots} at once, {rollouts} are wanted", f"--max-sessions {rollouts}"
            )
        )
    checks.append(_golden(url, config, wanted))
    return checks


def _golden(url: str, config: LaunchConfig, weights: dict[str, float]) -> Check:
    from wclib.env.client import WatercolourEnv
    from wclib.render.golden import GOLDEN_SKETCH

    async def paint() -> Any:
        env = WatercolourEnv(url)
        try:
            return await env.paint(f"```js\n{GOLDEN_SKETCH}\n```", seed=_GOLDEN_SEED, references=config.references)
        finally:
            await env.disconnect()

    try:
        seen = asyncio.run(paint()).observation
    except (InfrastructureFault, UsageError) as fault:
        return Check("golden reply", False, str(fault), "mend the environment, then try again")
    terms = {"judge": seen.judge_score, "quality": seen.quality_score, "length": seen.length_score}
    missing = [name for name, value in terms.items() if weights[name] and value is None]
    if seen.reward is None or missing:
        return Check(
            "golden reply", False, f"not scored; missing: {', '.join(missing) or 'the reward'}: {seen.feedback}",
            "start the judge and HPSv3 the environment is set up for, or set the weight to 0",
        )  # fmt: skip
    if not seen.request_id:
        return Check("golden reply", False, f"{url} returns no ids, so a reply cannot be told from another's",
                     "use wclib's environment: python -m wclib publish env")  # fmt: skip
    pairs = len((seen.breakdown.get("judge") or {}).get("comparisons") or [])
    shown = ", ".join(f"{name} {value:.2f}" for name, value in terms.items() if value is not None)
    if weights["judge"] and pairs != config.references:
        return Check("golden reply", False, f"compared with {pairs} references, wanted {config.references}",
                     "a larger pool, or fewer --references")  # fmt: skip
    return Check("golden reply", True, f"reward {seen.reward:.3f} ({shown}), {pairs} references, its id came back")
