"""Reading curves right: pure functions from data frames to numbers.

    tables.py, load.py           a curve CSV, a rollouts or comparisons table, a run's folder, a Hub dataset -> frames
    schema.py                    what each of them must hold
    published.py                 the three published runs
    curves.py                    thirds, slope with its t, rise by term, spread, time: what per-step figures can tell
    paintings.py                 fewer bad or better good; best and median; ceiling; coverage
    shapes.py                    does painting more shapes pay? pooled, within groups, given coverage
    terms.py                     what each term carries; unscored rollouts, and what calling them zeros would do
    diversity.py                 do the paintings grow alike; palettes; near-copies of the pool
    drawcurves.py                how hard was a step's draw, from per-step means
    verdicts.py, drawfit.py      the same from every verdict: references' difficulty
    corrected.py                 the curve that an average draw would have made
    balance.py                   draws of equal difficulty: how much noise they save
    simulate.py                  runs made from a stated model, to test all of this on
    claims.py, audit*.py         the article's sentences against our numbers
    report.py                    what ``wclib analyse`` says

The definitions are the project's own (``k = n // 3`` distinct steps and the *last* ``k``; bad is a reward strictly
under 0.3; a rollout without a reward is missing, never 0; sd with n - 1). Nothing here imports the environment or the
trainer.
"""
