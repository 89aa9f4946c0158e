"""A server is tried out and let go of: nothing of it is left, and nothing it was told is seen. With real processes."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from mcp_host.demo.server import build_server
from mcp_host.host.launches import Fed
from tests.host.probing_support import SECRET, command_line, discover, discovered, everything, only, open_place
from tests.host.support import ERAS, Memory, alive_in, pids_in
from tests.protocol.over_http import sdk_server
from tests.protocol.transports.raw_http import Handler, RawHttpServer, Request, serving

pytestmark = pytest.mark.anyio


async def test_a_command_line_is_tried_out_and_nothing_of_it_is_left(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    with anyio.fail_after(10):
        async with open_place(tmp_path) as place:
            document = await discovered(place, command_line("polite", MCP_PIDS=str(pids)))
            candidate = only(document)
            assert (candidate["id"], candidate["alias"]) == (f"{document['discovery']}.1", "polite")
            assert candidate["identity"] == "polite 1.0.0, legacy 2025-11-25"
            assert [tool["name"] for tool in candidate["tools"]] == ["echo", "process"]
            assert candidate["table"]["command"] == sys.executable
            assert "problem" not in candidate
            assert (len(pids_in(pids)) > 0, alive_in(pids)) == (True, [])
            assert not place.fleet.settings.state_dir.exists()


@pytest.mark.parametrize(
    ("server", "args"), [("stubborn", ()), ("forking", ()), ("forking", ("--deaf",)), ("forking", ("--leave",))]
)
async def test_a_server_that_does_not_want_to_leave_is_gone_all_the_same(
    tmp_path: Path, server: str, args: tuple[str, ...]
) -> None:
    pids = tmp_path / "pids"
    with anyio.fail_after(10):
        async with open_place(tmp_path) as place:
            document = await discovered(place, command_line(server, *args, MCP_PIDS=str(pids)))
            assert [tool["name"] for tool in only(document)["tools"]] == ["echo"]
            assert (len(pids_in(pids)) > 0, alive_in(pids)) == (True, [])


async def test_a_server_that_does_not_answer_in_time_is_shown_with_that_problem_and_is_gone(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    with anyio.fail_after(10):
        async with open_place(tmp_path) as place:
            discovering = place.discovering(timeout_seconds=0.5)
            answer = await discover(discovering, command_line("mute", MCP_PIDS=str(pids)))
            problem = only(answer.document)["problem"]
            assert (problem["type"], problem["title"]) == ("server-unavailable", "mute did not answer within 0.5 s")
            assert answer.exit == 4
            assert (len(pids_in(pids)), alive_in(pids)) == (1, [])


async def test_a_probe_that_is_cancelled_leaves_no_process(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    with anyio.fail_after(10):
        async with open_place(tmp_path) as place, anyio.create_task_group() as tasks:
            tasks.start_soon(discover, place.discovering(), command_line("mute", MCP_PIDS=str(pids)))
            while not pids_in(pids):
                await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
        assert alive_in(pids) == []


async def test_a_server_that_cannot_be_tried_out_is_a_candidate_with_its_problem(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_place(tmp_path) as place:
            answer = await discover(place.discovering(), "no-such-program-anywhere --port 80")
            candidate = only(answer.document)
            assert candidate["table"] == {"command": "no-such-program-anywhere", "args": ["--port", "80"]}
            assert (candidate["problem"]["type"], answer.exit) == ("server-unavailable", 4)
            assert "was not found" in candidate["problem"]["detail"]


async def test_the_next_step_after_a_probe_is_none_for_a_defined_server(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_place(tmp_path) as place:
            for target in ("sh -c 'exit 3'", "http://127.0.0.1:9/mcp", command_line("mute")):
                answer = await discover(place.discovering(timeout_seconds=0.5), target)
                assert only(answer.document)["problem"]["hint"].endswith("; :McpDiscover tries again.")
                assert ":McpEnable" not in everything(answer)


async def test_the_bundled_demo_answers_a_probe(tmp_path: Path) -> None:
    with anyio.fail_after(20):
        async with open_place(tmp_path) as place:
            answer = await discover(place.discovering(), f"{sys.executable} -m mcp_host.demo")
            candidate = only(answer.document)
            assert (candidate["alias"], answer.exit) == ("mcp-host-demo", 0)
            assert candidate["identity"].endswith(", modern 2026-07-28")
            assert answer.view is not None
            assert "    note_list            List notes" in answer.view().lines


@pytest.mark.parametrize(
    ("words", "where"),
    [
        ("TOKEN={} {}", "env"),
        ("{1} --token {0}", "args"),
        ("{1} --token={0}", "args"),
    ],
)
async def test_a_typed_secret_reaches_the_server_once_and_is_seen_nowhere(
    tmp_path: Path, words: str, where: str
) -> None:
    show = "import os, sys; print(os.environ.get('TOKEN'), sys.argv, file=sys.stderr); sys.exit(3)"
    with anyio.fail_after(10):
        async with open_place(tmp_path) as place:
            discovering = place.discovering()
            answer = await discover(discovering, words.format(SECRET, f'{sys.executable} -S -c "{show}"'))
            candidate = only(answer.document)
            assert "[redacted]" in candidate["problem"]["detail"]
            assert where in candidate["table"]
            assert [secret["place"] for secret in candidate["secrets"]] == ["the command line"]
            assert SECRET not in everything(answer) + place.probe_log + repr(discovering)
            assert "[redacted]" in place.probe_log


@pytest.mark.parametrize("args", [(), ("unwelcoming",)])
async def test_what_a_server_says_of_its_secrets_is_redacted(tmp_path: Path, args: tuple[str, ...]) -> None:
    with anyio.fail_after(10):
        async with open_place(tmp_path) as place:
            answer = await discover(place.discovering(), command_line("tells", *args, TOKEN=SECRET))
            shown = everything(answer)
            assert "[redacted]" in shown
            assert SECRET not in shown + place.probe_log


async def test_references_are_those_of_the_environment_and_what_it_lacks_is_asked_for_or_missing(
    tmp_path: Path,
) -> None:
    asked: list[tuple[str, ...]] = []

    async def ask(alias: str, names: tuple[str, ...]) -> Fed:
        asked.append(names)
        return Fed(values={"FED_TOKEN": "fed-" + SECRET})

    environment = {"SET_TOKEN": "set-" + SECRET}
    with anyio.fail_after(10):
        async with open_place(tmp_path, environment=environment, ask=ask) as place:
            for name in ("SET_TOKEN", "FED_TOKEN"):
                answer = await discover(place.discovering(), command_line("tells", TOKEN=f"${{{name}}}"))
                assert only(answer.document)["tools"][0]["summary"] == "Knows [redacted]"
                assert only(answer.document)["secrets"] == []
                assert SECRET not in everything(answer) + place.probe_log
            answer = await discover(place.discovering(), command_line("tells", TOKEN="${NOWHERE}"))
            assert (only(answer.document)["problem"]["type"], answer.exit) == ("reference-missing", 2)
            assert asked == [("FED_TOKEN",), ("NOWHERE",)]


async def test_what_was_typed_counts_before_what_the_environment_has_under_its_name(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_place(tmp_path, environment={"TOKEN": "of-the-environment"}) as place:
            show = "import os, sys; sys.exit(os.environ['TOKEN'] == 'typed-here' and 7)"
            words = f'TOKEN=typed-here {sys.executable} -S -c "{show}"'
            document = await discovered(place, words)
            assert "exited with code 7" in only(document)["problem"]["title"]


async def test_a_command_line_runs_in_the_folder_of_the_editor_with_a_small_environment(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_place(tmp_path, environment={"NVIM": "/run/nvim", "OTHERS": "x"}) as place:
            show = "import os, sys; print(os.getcwd(), sorted(os.environ), file=sys.stderr)"
            (place.work / "run").write_text(f"#!{sys.executable}\n{show}\n")
            (place.work / "run").chmod(0o700)
            document = await discovered(place, "./run --fast")
            assert only(document)["table"] == {"command": str(place.work / "run"), "args": ["--fast"]}
            assert f"{place.work} ['HOME', 'LC_CTYPE', 'PATH']" in only(document)["problem"]["detail"]


@pytest.mark.parametrize("era", ERAS)
async def test_a_url_is_tried_out_at_the_revision_that_is_negotiated(tmp_path: Path, era: Any) -> None:
    with anyio.fail_after(10):
        async with open_place(tmp_path, opened_by=Memory(servers={"example": build_server()}, era=era)) as place:
            candidate = only(await discovered(place, " https://mcp.example.com/mcp "))
            revision = "2026-07-28" if era == "modern" else "2025-11-25"
            assert candidate["identity"].endswith(f", {era} {revision}")
            assert candidate["tools"][0] == {"name": "note_list", "summary": "List notes"}
            assert candidate["toml"] == '[servers.example]\nurl = "https://mcp.example.com/mcp"\n'


async def test_a_url_over_a_real_socket(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_place(tmp_path) as place, sdk_server(build_server()) as url:
            document = await discovered(place, url)
            assert only(document)["tools"]
            assert document["source"] == url


async def test_the_secrets_of_a_url_are_sent_once_and_seen_nowhere(tmp_path: Path) -> None:
    seen: list[Request] = []

    async def refuse(request: Request) -> None:
        seen.append(request)
        await request.reply(500, f"no, {request.headers['authorization']}, {SECRET}".encode())

    handlers: dict[str, Handler] = {"server/discover": refuse, "initialize": refuse}
    with anyio.fail_after(10):
        async with open_place(tmp_path) as place, serving(RawHttpServer(handlers=handlers)) as server:
            target = server.url.replace("http://", f"http://me:{SECRET}@") + f"?api_key={SECRET}x"
            answer = await discover(place.discovering(), target)
            assert seen[0].headers["authorization"].startswith("Basic ")
            assert only(answer.document)["table"] == {
                "url": f"{server.url}?api_key=${{LOCAL_API_KEY}}",
                "headers": {"Authorization": "Basic ${LOCAL_CREDENTIALS}"},
            }
            shown = everything(answer)
            assert "[redacted]" in shown
            assert SECRET not in shown + place.probe_log
            assert seen[0].headers["authorization"].removeprefix("Basic ") not in shown


async def test_a_server_that_wants_an_authorization_says_so(tmp_path: Path) -> None:
    async def refuse(request: Request) -> None:
        await request.reply(401, b"")

    handlers: dict[str, Handler] = {"server/discover": refuse, "initialize": refuse}
    with anyio.fail_after(10):
        async with open_place(tmp_path) as place, serving(RawHttpServer(handlers=handlers)) as server:
            answer = await discover(place.discovering(), server.url)
            assert (only(answer.document)["problem"]["type"], answer.exit) == ("authorization-required", 8)


async def test_many_probes_at_once_leave_nothing(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    with anyio.fail_after(30):
        async with open_place(tmp_path) as place:
            discovering = place.discovering()
            async with anyio.create_task_group() as tasks:
                for _ in range(6):
                    tasks.start_soon(discover, discovering, command_line("polite", MCP_PIDS=str(pids)))
            assert (len(pids_in(pids)) >= 6, alive_in(pids)) == (True, [])
            assert os.stat(place.logs / "_discover.log").st_mode & 0o777 == 0o600
