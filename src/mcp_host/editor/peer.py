"""The RPC peer of one editor: takes the verbs in, hands them to the host's thread, and sees to a bounded end.

Nothing here waits for a server. The host's own modules are imported in its thread, because importing the SDK takes a
second that the RPC thread must not spend.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from logging.handlers import RotatingFileHandler
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

import anyio
import pynvim

from mcp_host import __version__
from mcp_host.editor.feed import Editor, Feed
from mcp_host.editor.threads import HostThread

if TYPE_CHECKING:
    from mcp_host.editor.questions import Questions
    from mcp_host.host.host import Host

logger = logging.getLogger(__name__)

NOTIFICATION: Final = "mcp_host"
"""The notification that carries a verb: `(id, verb, params)`."""

STOP_REQUEST: Final = "mcp_host_stop"
"""The only request: Lua's `VimLeavePre` waits for it."""

ANSWER_VERB: Final = "resolved"
"""The verb that answers a question of ours. Its parameters hold secrets; nothing is replied to it."""

LOG_CAP_BYTES: Final = 4 * 1024 * 1024
"""When the host's log moves to `.1`: only what nobody expected is in it."""

SWITCH_SECONDS: Final = 0.0005
"""How long one of the two threads may keep the interpreter while the other waits. Each call crosses between them twice;
with Python's own 5 ms the editor's answer waits behind work that could well wait itself."""

STOP_SECONDS: Final = 1.0
"""How long the servers have to end in good order; after that their process groups are killed."""


class Peer:
    """One editor's host. Made on the RPC thread; all its methods run there."""

    def __init__(self, nvim: Editor) -> None:
        self._nvim = nvim
        self._feed = Feed(nvim)
        self._thread: HostThread | None = None
        self._settings: Mapping[str, Any] = {}
        self._host: Host | None = None
        self._questions: Questions | None = None
        self._host_is_up = anyio.Event()
        self._import_failed = ""
        self._stopped = False
        self.died = False
        """The host's loop ended without having been asked to."""
        atexit.register(self.stop)

    def notified(self, name: str, args: Sequence[Any]) -> None:
        """One notification of the editor; anything that is not ours is left alone."""
        if name != NOTIFICATION or len(args) != 3 or not isinstance(args[0], int):
            logger.warning("left alone: a notification %r with %d arguments", name, len(args))
            return
        reply, verb, params = args[0], str(args[1]), args[2]
        # An empty Lua table crosses as a list.
        members: Mapping[str, Any] = cast("Mapping[str, Any]", params) if isinstance(params, Mapping) else {}
        if verb == "start":
            self._start(reply, members)
            return
        if self._thread is None:
            return
        if verb == ANSWER_VERB:
            self._thread.hand_over(lambda: self._answered(members))
        else:
            self._thread.hand_over(lambda: self._answer(reply, verb, members))

    def requested(self, name: str, _: Sequence[Any]) -> bool:
        """One request of the editor; there is only the stop."""
        return self.stop() if name == STOP_REQUEST else False

    def stop(self) -> bool:
        """No server process is left, within `STOP_SECONDS` and a little; True when all ended in good order."""
        if self._stopped:
            return True
        self._stopped = True
        in_order = self._thread.stop(STOP_SECONDS) if self._thread is not None else True
        # Imported by the host's thread long ago, or there is nothing to kill.
        process = sys.modules.get("mcp_host.protocol.transports.process")
        if process is not None:
            process.kill_all_groups()
        return in_order

    def _start(self, reply: int, params: Mapping[str, Any]) -> None:
        if self._thread is None:
            self._settings = params
            self._thread = HostThread(self._main, on_death=self._end_process)
            self._thread.start()
        started = {"version": __version__, "python": sys.version.split()[0], "pid": os.getpid()}
        self._feed.send({"reply": reply, "value": {"exit": 0, "kind": "host", "document": {"host": started}}})

    async def _main(self, stop: anyio.Event) -> None:
        try:
            from mcp_host.editor.questions import Questions  # see the module's docstring
            from mcp_host.host.host import open_host
        except ImportError as error:
            self._import_failed = error.name or "a module"
            self._host_is_up.set()
            logger.exception("the host cannot be imported")
            await stop.wait()
            return
        self._questions = Questions(send=self._feed.send)
        async with open_host(self._settings, emit=self._emit, ask=self._questions.ask) as host:
            self._host = host
            self._host_is_up.set()
            await stop.wait()

    async def _answer(self, reply: int, verb: str, params: Mapping[str, Any]) -> None:
        await self._host_is_up.wait()
        if self._host is None:
            self._feed.send({"reply": reply, "problem": _not_imported(self._import_failed), "exit": 1})
            return
        from mcp_host.editor.replies import problem_message, send_answer  # see the module's docstring
        from mcp_host.problems import Problem, ProblemError

        want = params.get("want", "document")
        try:
            answer = await self._host.answer(verb, {key: value for key, value in params.items() if key != "want"})
            await send_answer(self._feed.send, reply, answer, want)
        except ProblemError as error:
            self._feed.send(problem_message(reply, error.problem))
        except Exception:
            # Whoever asked must be told, or waits for ever; what happened is logged by whoever runs this.
            not_shown = Problem(
                type="internal",
                title=f"The host could not show the answer to {verb}",
                detail="What was asked for has happened; the host's log says where showing it failed.",
                hint="Please report this with the host's log; :checkhealth mcp_host names its path.",
            )
            self._feed.send(problem_message(reply, not_shown))
            raise

    async def _answered(self, params: Mapping[str, Any]) -> None:
        if self._questions is not None:
            await self._questions.answered(params)

    def _end_process(self) -> None:
        # An editor that asks a dead host would wait for ever; one whose host's process is gone starts another.
        self.died = True
        self._nvim.async_call(self._nvim.stop_loop)

    def _emit(self, event: str, data: Mapping[str, object]) -> None:
        self._feed.send({"event": event, "data": data})


def _not_imported(module: str) -> dict[str, Any]:
    """The problem in plain data: what would make one may be just what cannot be imported."""
    return {
        "type": "host-failed",
        "title": "The MCP host is not installed completely",
        "detail": f"{module} cannot be imported.",
        "hint": "Run :McpInstall, which puts the host and what it needs into an environment of its own.",
        "retryable": False,
        "causes": [],
    }


def main() -> None:
    """Serves the editor on stdin and stdout until it is gone, and leaves no process behind."""
    _log_to_file()
    sys.setswitchinterval(SWITCH_SECONDS)
    # Its default would end the process at once, servers and all left behind.
    signal.signal(signal.SIGHUP, _leave)
    nvim = pynvim.attach("stdio")
    peer = Peer(nvim)
    try:
        # The editor's death is an EOFError or OSError out of the loop, a SIGTERM an Exception: all mean the same.
        with contextlib.suppress(Exception):
            nvim.run_loop(peer.requested, peer.notified)
    finally:
        peer.stop()
    if peer.died:
        sys.exit("the host's loop ended; its log says why")


def _leave(_signal: int, _frame: FrameType | None) -> NoReturn:
    sys.exit()


def _log_to_file() -> None:
    """Our own log goes where the editor says. Everybody else's goes nowhere: the SDK logs what servers send."""
    logging.getLogger().addHandler(logging.NullHandler())
    path = os.environ.get("MCP_HOST_LOG")
    if path is None:
        return
    handler = RotatingFileHandler(path, maxBytes=LOG_CAP_BYTES, backupCount=1)
    formatter = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s", "%Y-%m-%dT%H:%M:%SZ")
    formatter.converter = time.gmtime
    handler.setFormatter(formatter)
    logging.getLogger("mcp_host").addHandler(handler)
