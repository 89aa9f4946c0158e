"""The floor: the SDK's own client on the same server, without an editor. Prints one JSON object of milliseconds.

A process of its own, because importing the SDK is the larger part of a cold start.
"""

from __future__ import annotations

import json
import sys
import time

STARTED = time.perf_counter()

import anyio  # noqa: E402 (its time counts)


async def measure(count: int, times: int, command: str, arguments: list[str]) -> dict[str, object]:
    """Connects this many servers at once, lists their tools, calls `echo` on one; all in milliseconds."""
    from mcp import Client, StdioServerParameters

    imported = time.perf_counter()
    listed = anyio.Event()
    waiting = count
    samples: list[float] = []

    async def use(number: int) -> None:
        nonlocal waiting
        async with Client(StdioServerParameters(command=command, args=arguments)) as client:
            await client.list_tools()
            waiting -= 1
            if waiting == 0:
                listed.set()
            await listed.wait()
            for _ in range(times if number == 0 else 0):
                before = time.perf_counter()
                await client.call_tool("echo", {"text": "hello"})
                samples.append((time.perf_counter() - before) * 1000)

    ready = STARTED
    async with anyio.create_task_group() as tasks:
        for number in range(count):
            tasks.start_soon(use, number)
        await listed.wait()
        ready = time.perf_counter()
    return {"import": (imported - STARTED) * 1000, "cold": (ready - STARTED) * 1000, "echo": samples}


if __name__ == "__main__":
    print(json.dumps(anyio.run(measure, int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:])))
