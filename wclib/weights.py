"""What each term of the reward is worth, and how the terms make one number.

``WATERCOLOUR_GATE_WEIGHT``, ``WATERCOLOUR_LENGTH_WEIGHT``, ``WATERCOLOUR_JUDGE_WEIGHT`` and
``WATERCOLOUR_QUALITY_WEIGHT`` set the weights; between the three published mixes only the last two change.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass

from wclib.errors import UsageError

TERMS = ("gate", "length", "judge", "quality")
CHARACTERS_A_TOKEN = 4
#: Tokens: below the first the length scores 0, from there it rises to 1 at the second, above the third it is 0.
LENGTH_RAMP = (150, 3000, 6000)


@dataclass(frozen=True)
class Weights:
    """What each term is worth; they sum to 1."""

    gate: float = 0.05
    length: float = 0.05
    judge: float = 0.60
    quality: float = 0.30

    def validate(self) -> Weights:
        """Return self, or refuse.

        Raises:
            UsageError: a weight is negative or not finite, or they do not sum to 1; names the values.
        """
        values = astuple(self)
        said = ", ".join(f"{name} {value:g}" for name, value in zip(TERMS, values, strict=True))
        if not all(math.isfinite(value) and value >= 0 for value in values):
            raise UsageError(f"weights must be numbers from 0 to 1: {said}")
        if abs(sum(values) - 1) > 1e-6:
            raise UsageError(
                f"weights must sum to 1, these sum to {sum(values):g}: {said}; set WATERCOLOUR_JUDGE_WEIGHT and "
                "WATERCOLOUR_QUALITY_WEIGHT together (0.6 and 0.3, 0.3 and 0.6, or 0 and 0.9)"
            )
        return self


#: The three published mixes. Only judge and quality change between them.
MIXES: dict[str, Weights] = {
    "judge-led": Weights(judge=0.60, quality=0.30),
    "hps-led": Weights(judge=0.30, quality=0.60),
    "hps-only": Weights(judge=0.0, quality=0.90),
}


def weights_from_env() -> Weights:
    """The weights the environment asks for; the judge-led mix where it is silent.

    Raises:
        UsageError: a value is not a number, is negative, or they do not sum to 1.
    """
    values = {}
    for name in TERMS:
        variable = f"WATERCOLOUR_{name.upper()}_WEIGHT"
        if text := os.environ.get(variable, "").strip():
            try:
                values[name] = float(text)
            except ValueError:
                values[name] = math.nan
            if not 0 <= values[name] <= 1:  # nor is NaN
                raise UsageError(f"{variable}={text!r} must be a number from 0 to 1")
    return Weights(**values).validate()


def length_score(source: str) -> float:
    """How far the sketch's length has got up the ramp, in [0, 1].

    Tokens are counted as characters / 4: 0 below 150, linear up to 1 at 3,000, 0 above 6,000 (the
    published figures).
    """
    tokens = len(source) / CHARACTERS_A_TOKEN
    least, full, most = LENGTH_RAMP
    if tokens > most:
        return 0.0
    return min(1.0, max(0.0, (tokens - least) / (full - least)))


def combine(terms: Mapping[str, float | None], weights: Weights, faults: Mapping[str, str]) -> tuple[float | None, str]:
    """Put the terms together: ``(reward, "")``, or ``(None, reason)`` when a wanted term has no score.

    Args:
        terms: a score in [0, 1] for each of :data:`TERMS`, or None.
        weights: what each is worth.
        faults: why a term has no score, by term.
    """
    value = 0.0
    for name, weight in asdict(weights).items():
        score = terms[name]
        if weight == 0:
            continue
        if score is None:
            return None, faults.get(name) or f"{name}: no score"
        if not 0 <= score <= 1:
            return None, f"{name}: its score was {score}, which is not between 0 and 1"
        value += weight * score
    return min(1.0, value), ""
