"""A TCP proxy on loopback that misbehaves: it delays, cuts, closes, garbles and swallows."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import AsyncIterator

#: What happens to a connection after 2 to 120 chunks, and how often. None but "well" lives longer than 600.
MOODS = {"delay": 4, "cut": 4, "close": 2, "swallow": 1, "garble": 2}


class Flaky:
    """Forwards to ``upstream`` (host, port), which may be changed while it runs. ``moods`` counts what was done."""

    def __init__(self, seed: int = 0, moods: dict[str, int] = MOODS):
        self.upstream, self.moods, self.weights = ("127.0.0.1", 9), Counter[str](), moods
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
        mood = self._chance.choices(list(self.weights), list(self.weights.values()))[0]
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
                if mood != "well" and seen[0] > 5 * after:
                    return
                if seen[0] > after:
                    if mood == "close":
                        return
                    if mood == "cut":
                        sink.write(data[: len(data) // 2])
                        return
                    if mood == "swallow":
                        continue
                    if mood == "delay":
                        await asyncio.sleep(self._chance.uniform(0.01, 0.1))
                    if mood == "garble" and answers:
                        data = bytes(byte ^ 0x55 for byte in data)
                sink.write(data)
                await sink.drain()
