"""Building a pool of one's own: photographs to look at, sketches from any list of models, and a check of the result.

=========  ==============================================================================================
photos     photographs of the subject from iNaturalist, with licence and attribution
chat       one question to one model through Inference Providers: what it said, took and cost
plan       what is to be made, and how many calls that is at most
painter    one candidate: reply, source gate, painting, critique, and again
generate   all of them at once, resumed after a kill
replay     a local server that answers as a provider does, from replies that were recorded
check      whether a pool can be judged with
=========  ==============================================================================================

What a build writes is an unrated pool: pictures, ``sources/`` and ``metadata.jsonl`` in the published columns, the tier
left empty. Rating it is :mod:`wclib.rating`'s part.
"""
