"""Judges: who compares two paintings (pairwise), and who scores one (quality).

:mod:`~wclib.judges.pairwise` is the method, both orders against every reference. It is asked of the
:mod:`~wclib.judges.vision` judge, a vision-language model, or of the :mod:`~wclib.judges.local` judge, which
learns its taste from the pool's tiers. Quality comes from :mod:`~wclib.judges.hpsv3` over HTTP, or from the
local judge.
"""

from wclib.judges.hpsv3 import HPSv3Client
from wclib.judges.local import LocalJudge
from wclib.judges.pairwise import Comparison, compare_all, judge_score
from wclib.judges.vision import VisionJudge

__all__ = ["Comparison", "HPSv3Client", "LocalJudge", "VisionJudge", "compare_all", "judge_score"]
