"""The two kinds of failure, and nothing else.

A reward may be low for one of two reasons that must never be mixed up: the *sketch* was
bad (then the reward is a true 0, with a reason the policy should learn from), or some *part
of the machinery* failed (then there is no reward at all: ``None``, and the rollout leaves
its group). The boundary where a failure is caught names its kind, once, by raising one of
these two; everything above only looks at the type.
"""

from __future__ import annotations


class SketchFault(Exception):
    """The sketch itself is at fault: the gate closes and the reward is 0.

    Args:
        code: one of the verdict codes listed in :data:`wclib.gate.CODES`, e.g. ``"timeout"``.
        detail: what happened, for a person.
    """

    def __init__(self, code: str, detail: str):
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail


class InfrastructureFault(Exception):
    """A part of the machinery failed: the reward is ``None``, whatever the other terms say.

    Args:
        part: what failed: ``"renderer"``, ``"judge"``, ``"quality"``, ``"pool"``,
            ``"environment"`` or ``"disk"``.
        detail: what happened and, where known, the remedy.
    """

    def __init__(self, part: str, detail: str):
        super().__init__(f"{part}: {detail}")
        self.part = part
        self.detail = detail


class UsageError(Exception):
    """Bad input from a person: the message names the file or value and the remedy.

    The command line prints the message alone, without a traceback, and exits with 2.
    """
