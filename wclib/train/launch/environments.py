"""The preflight's checks of the environments: there, healthy, paying as wanted, and one golden reply scored whole."""

from __future__ import annotations

import asyncio
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


def checked(name: str, said: str, wrong: str = "", remedy: str = "") -> Check:
    """A check that passed and says ``said``, or that failed when something is ``wrong``."""
    return Check(name, False, wrong, remedy) if wrong else Check(name, True, said)


def environment_checks(config: LaunchConfig, job: Job, dry_run: bool) -> list[Check]:
    """Check every environment of a launch; in a dry run one that cannot be reached is "not checked"."""
    from wclib.train.record import differences

    if not config.env_url:
        said, remedy = "one is started here for the length of the run", "--env-url; wclib publish env"
        return [checked("environment", said, "none given, and a job has no browser" if job.remote else "", remedy)]
    checks: list[Check] = []
    reports: list[tuple[str, dict[str, Any]]] = []
    for url in config.env_url:
        if job.remote and urlsplit(url).hostname in _LOCAL:
            checks.append(Check(url, False, "a job cannot reach this machine's loopback", "publish the environment"))
            continue
        found, pays = _one_environment(url, config, dry_run)
        checks += found
        if pays is None:
            continue
        if reports and (changed := differences(reports[0][1], pays)):
            wrong = f"pays otherwise than {reports[0][0]} ({changed})"
            checks.append(Check(url, False, wrong, "serve all from one setting"))
        reports.append((url, pays))
    return checks


def _one_environment(url: str, config: LaunchConfig, dry_run: bool) -> tuple[list[Check], dict[str, Any] | None]:
    """The checks of one environment, and what it pays by; None when it did not say."""
    from wclib.train.scoring import health_report
    from wclib.weights import weights_from_env

    try:
        seen = health_report(url)
    except InfrastructureFault as fault:
        unhealthy = "is not healthy" in fault.detail
        remedy = "mend what it names and start it again" if unhealthy else "start it: python -m wclib serve"
        reached = unhealthy or not dry_run
        return [Check("environment", False if reached else None, fault.detail, remedy if reached else "")], None
    wanted, pays = asdict(weights_from_env()), seen.get("weights")
    rollouts = -(-config.generation_batch // len(config.env_url))
    slots = (seen.get("sessions") or {}).get("max", rollouts)
    checks = [
        checked("environment", f"{url}: {seen.get('judge')}, {seen.get('renderer')}"),
        checked(
            "weights",
            ", ".join(f"{name} {value:g}" for name, value in wanted.items()),
            f"{url} pays {pays}, wanted are {wanted}" if pays != wanted else "",
            "set the WATERCOLOUR_*_WEIGHT variables alike here and on the environment's side",
        ),
    ]
    if slots < rollouts:
        wrong = f"{url} takes {slots} at once, {rollouts} are wanted"
        checks.append(Check("sessions", False, wrong, f"--max-sessions {rollouts}"))
    checks.append(_golden(url, config, wanted))
    return checks, {name: seen.get(name) for name in ("weights", "judge", "quality", "pool", "references")}


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
    pairs = len((seen.breakdown.get("judge") or {}).get("comparisons") or [])
    wrong = remedy = ""
    if seen.reward is None or missing:
        wrong = f"not scored; missing: {', '.join(missing) or 'the reward'}: {seen.feedback}"
        remedy = "start the judge and HPSv3 the environment is set up for, or set the weight to 0"
    elif not seen.request_id:
        wrong = f"{url} returns no ids, so a reply cannot be told from another's"
        remedy = "use wclib's environment: python -m wclib publish env"
    elif weights["judge"] and pairs != config.references:
        wrong = f"compared with {pairs} references, wanted {config.references}"
        remedy = "a larger pool, or fewer --references"
    shown = ", ".join(f"{name} {value:.2f}" for name, value in terms.items() if value is not None)
    said = f"reward {seen.reward or 0:.3f} ({shown}), {pairs} references, its id came back"
    return checked("golden reply", said, wrong, remedy)
