"""The environment: a sketch goes in over a websocket, a reward or ``None`` comes out.

    models.py       what travels: action, observation, state, reset options
    environment.py  one episode: reset names a subject, step paints and scores
    studio.py       what all sessions share: renderer, pool, scorer, and their health
    told.py         what a client is told of a painting, without a path of the server's
    critique.py     what a painter could see in the picture, in words
    server.py       the ASGI app
    app.py          serving it: ``python -m wclib serve``
    client.py       the client, with two faults of OpenEnv's own client mended
    local.py        a server of one's own as a child process, for notebooks, runs and tests
    wire.py         the parts of OpenEnv that are used, imported without Gradio

Client and server share ``models.py`` and ``wire.py`` and nothing else.
"""
