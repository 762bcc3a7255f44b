"""Building a pool of one's own: photographs to look at, sketches from any list of models, and a check of the result.

=========  ==============================================================================================
photos     photographs of the subject from iNaturalist, with licence and attribution
chat       one question to one model through Inference Providers: what it said, took and cost
plan       what is to be made, and how many calls that is at most
generate   a build from its dry run to its report
rounds     reply, source gate, painting and critique of every candidate, all at once
record     what is written down, and what a killed build finds again; what it cost
replay     a local server that answers as a provider does, from replies that were recorded
check      whether a pool can be judged with
folder     what lies in a pool's folder, and what is wrong with it
=========  ==============================================================================================

What a build writes is an unrated pool: pictures, ``sources/`` and ``metadata.jsonl`` in the published columns, the tier
left empty. Rating it is :mod:`wclib.rating`'s part.
"""
