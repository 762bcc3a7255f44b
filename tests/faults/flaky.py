"""A TCP proxy on loopback that misbehaves: it delays, cuts, closes, garbles and swallows."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import AsyncIterator

#: What can happen to a connection after some chunks, and how often.
MOODS = {"well": 12, "delay": 2, "cut": 2, "close": 1, "swallow": 1, "garble": 1}


class Flaky:
    """Forwards to ``upstream`` (host, port), which may be changed while it runs. ``moods`` counts what was done."""

    def __init__(self, upstream: tuple[str, int], seed: int = 0, moods: dict[str, int] = MOODS):
        self.upstream, self.moods, self._weights = upstream, Counter(), moods
        self._chance = random.Random(seed)
        self._open: set[asyncio.Task[None]] = set()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[str]:
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        async with server:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            server.close()
            await asyncio.gather(*self._open, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        mood = self._chance.choices(list(self._weights), list(self._weights.values()))[0]
        self.moods[mood] += 1
        after = self._chance.randrange(2, 120)
        try:
            up_reader, up_writer = await asyncio.open_connection(*self.upstream)
        except OSError:
            writer.transport.abort()
            return
        seen = [0]
        pumps = [
            asyncio.create_task(self._pump(reader, up_writer, mood, after, seen, answers=False)),
            asyncio.create_task(self._pump(up_reader, writer, mood, after, seen, answers=True)),
        ]
        _, left = await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        for task in left:
            task.cancel()
        for end in (writer, up_writer):
            if mood == "cut":
                end.transport.abort()
            else:
                end.close()

    async def _pump(
        self,
        source: asyncio.StreamReader,
        sink: asyncio.StreamWriter,
        mood: str,
        after: int,
        seen: list[int],
        answers: bool,
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(65536):
                seen[0] += 1
                if seen[0] > after:
                    if mood in ("cut", "close"):
                        return
                    if mood == "swallow":
                        continue
                    if mood == "delay":
                        await asyncio.sleep(self._chance.uniform(0.01, 0.1))
                    if mood == "garble" and answers:
                        data = bytes(byte ^ 0x55 for byte in data)
                sink.write(data)
                await sink.drain()
