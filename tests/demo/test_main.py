"""The two doors of `python -m mcp_host.demo`, each with a client of each era."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

ERAS = pytest.mark.parametrize("era", ["auto", "legacy"])
COMMAND = ["-m", "mcp_host.demo"]


@contextmanager
def http_process() -> Generator[tuple[subprocess.Popen[str], str]]:
    """A demo server on a free port, with the address it says it has."""
    command = [sys.executable, *COMMAND, "--http", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        try:
            yield process, process.stderr.readline().removeprefix("listening on ").strip()
        finally:
            process.terminate()


@ERAS
@pytest.mark.anyio
async def test_on_stdio_only_the_protocol_is_on_standard_output(era: str, tmp_path: Path) -> None:
    unreadable: list[Exception] = []

    async def keep_exceptions(message: object) -> None:
        if isinstance(message, Exception):
            unreadable.append(message)

    server = StdioServerParameters(command=sys.executable, args=COMMAND)
    with (tmp_path / "stderr").open("w") as errors, anyio.fail_after(60):
        transport = stdio_client(server, errlog=errors)
        async with Client(transport, mode=era, message_handler=keep_exceptions) as client:
            assert (await client.call_tool("fail")).is_error
    assert (unreadable, (tmp_path / "stderr").read_text()) == ([], "")


@ERAS
@pytest.mark.anyio
async def test_over_http_it_serves_this_machine_only_and_prints_nothing(era: str) -> None:
    with http_process() as (process, url):
        assert url.startswith("http://127.0.0.1:")
        with anyio.fail_after(60):
            async with Client(url, mode=era) as client:
                assert (await client.call_tool("fail")).is_error
        process.terminate()
        assert process.stdout is not None
        assert process.stdout.read() == ""
