"""The doctor finds what is wrong without starting anything, tells no value, and leaves an unapproved file alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from mcp_host import __version__
from mcp_host.host.answers import Answer
from mcp_host.host.doctoring import Doctoring
from mcp_host.host.launches import Fed
from mcp_host.host.params import DoctorParams
from mcp_host.host.trust_records import TrustRecord
from mcp_host.problems import ProblemError
from tests.host.probing_support import SECRET, Place, everything, open_place
from tests.host.support import demo, demo_in_memory, pids_in, script

pytestmark = pytest.mark.anyio


class Watched(Mapping[str, str]):
    """An environment that notes which names somebody looked at."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = dict(values)
        self.looked_at: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.looked_at.add(name)
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


async def ask(place: Place) -> Answer:
    return await Doctoring(fleet=place.fleet).doctor(DoctorParams())


async def told(place: Place) -> dict[str, Any]:
    document: Any = (await ask(place)).document
    return document["doctor"]


async def server(place: Place, alias: str) -> dict[str, Any]:
    (found,) = [one for one in (await told(place))["servers"] if one["alias"] == alias]
    return found


async def test_the_host_itself_is_told_of(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_place(tmp_path) as place:
            (place.work / ".git").mkdir()
            below = place.work / "below"
            below.mkdir()
            place.fleet.definitions.project.folder = below
            doctor = await told(place)
            assert doctor["python"].startswith(f"{sys.executable} (3.")
            assert doctor["workspace"] == str(place.work)
            assert doctor["versions"]["mcp-host"] == __version__
            assert {"mcp", "pynvim", "anyio", "pydantic"} <= doctor["versions"].keys()
            assert all(version[0].isdigit() for version in doctor["versions"].values())
            assert (doctor["resolver"], doctor["logs"], doctor["servers"]) == (None, {}, [])
            (place.logs).mkdir(parents=True)
            assert (await told(place))["logs"] == {"servers": str(place.logs)}


async def test_nothing_is_started_and_what_would_be_is_looked_for(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    definitions = script("one", "polite", env={"MCP_PIDS": str(pids)}) + '[servers.gone]\ncommand = "not-there"\n'
    with anyio.fail_after(5):
        async with open_place(tmp_path, definitions=definitions, environment={"PATH": "/nowhere:/neither"}) as place:
            one, gone = (await told(place))["servers"]
            assert (one["status"], one["target"], one["executable"]) == ("off", sys.executable, sys.executable)
            assert (gone["executable"], gone["searched"]) == (None, ["/nowhere", "/neither"])
            assert pids_in(pids) == []
            assert not place.logs.exists()


async def test_references_are_told_by_name_and_their_values_never(tmp_path: Path) -> None:
    definitions = script("one", "tells", "${A_TOKEN}", env={"TOKEN": "${A_TOKEN}", "OTHER": "${NOT_SET}"})
    with anyio.fail_after(5):
        async with open_place(tmp_path, definitions=definitions, environment={"A_TOKEN": SECRET}) as place:
            answer = await ask(place)
            found = await server(place, "one")
            assert [(one["field"], one["name"], one["state"]) for one in found["references"]] == [
                ("args[2]", "A_TOKEN", "set"),
                ("env.TOKEN", "A_TOKEN", "set"),
                ("env.OTHER", "NOT_SET", "missing"),
            ]
            assert found["warnings"] == ["everybody who lists processes sees A_TOKEN: use env instead of args[2]"]
            assert SECRET not in everything(answer)


async def test_each_layer_has_its_own_problems_and_a_broken_server_its_own(tmp_path: Path) -> None:
    definitions = '[mcpServers.x]\n[servers.bad]\ncomand = "x"\n[servers.good]\ncommand = "x"\n'
    environment = {"NVIM_MCP_WEB": "https://web.test", "NVIM_MCP_NOBODY_ARGS": "[]"}
    with anyio.fail_after(5):
        async with open_place(tmp_path, definitions=definitions, environment=environment) as place:
            file = place.define_project("[servers\n")
            doctor = await told(place)
            of_layers = {
                layer["layer"]: (layer["file"], layer["state"], layer["servers"], len(layer["problems"]))
                for layer in doctor["layers"]
            }
            assert of_layers == {
                "environment": ("the environment", "read", 1, 1),
                "user": (str(tmp_path / "mcp.toml"), "read", 2, 1),
                "project": (str(file), "untrusted", 0, 1),
            }
            assert {one["alias"]: one.get("problem", {}).get("type") for one in doctor["servers"]} == {
                "web": None,
                "good": None,
                "bad": "definition-invalid",
            }


async def test_a_text_that_cannot_be_read_any_more_is_the_problem_of_its_layer(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_place(tmp_path, definitions='[servers.one]\ncommand = "x"\n') as place:
            await told(place)
            place.define("[servers")
            doctor = await told(place)
            user = doctor["layers"][1]
            assert (user["state"], [one["type"] for one in user["problems"]]) == (
                "unparsable",
                ["definition-unparsable"],
            )
            assert [one["alias"] for one in doctor["servers"]] == ["one"]


async def test_nothing_of_an_unapproved_file_is_looked_up(tmp_path: Path) -> None:
    definitions = '[servers.mine]\ncommand = "mine"\nenv = { X = "${MINE}" }\n[servers.shared]\ncommand = "shared"\n'
    project = (
        '[servers.theirs]\ncommand = "theirs"\nargs = ["${THEIRS}"]\n[servers.shared]\nenv = { X = "${THEIRS}" }\n'
    )
    with anyio.fail_after(5):
        async with open_place(tmp_path, definitions=definitions) as place:
            place.define_project(project)
            watched = Watched({**place.fleet.settings.environment, "THEIRS": SECRET, "MINE": "x"})
            object.__setattr__(place.fleet.settings, "environment", watched)
            doctor = await told(place)
            found = {one["alias"]: one for one in doctor["servers"]}
            assert list(found) == ["mine", "theirs", "shared"]
            for alias, field in (("theirs", "args[0]"), ("shared", "env.X")):
                assert found[alias]["references"] == [{"field": field, "name": "THEIRS", "state": "not looked at"}]
                assert (found[alias]["target"], found[alias]["executable"], found[alias]["searched"]) == (
                    alias,
                    None,
                    [],
                )
                assert ":McpTrust" in found[alias]["warnings"][0]
            assert found["mine"]["references"][0]["state"] == "set"
            assert ("MINE" in watched.looked_at, "THEIRS" in watched.looked_at) == (True, False)
            project_layer = doctor["layers"][2]
            assert (project_layer["state"], project_layer["servers"]) == ("untrusted", 2)


async def test_an_ignored_file_counts_as_none(tmp_path: Path) -> None:
    with anyio.fail_after(5):
        async with open_place(tmp_path) as place:
            file = place.define_project('[servers.theirs]\ncommand = "theirs"\n')
            records = place.fleet.definitions.project.records
            records.keep(TrustRecord(file=str(file), decision="ignored", decided_at="now"))
            doctor = await told(place)
            assert (doctor["servers"], doctor["layers"][2]["state"]) == ([], "ignored")


async def test_a_disabled_server_says_so_and_is_not_looked_at(tmp_path: Path) -> None:
    definitions = '[servers.off]\ncommand = "x"\nenabled = false\n[servers.here]\ncommand = "x"\n'
    with anyio.fail_after(5):
        async with open_place(tmp_path, definitions=definitions, environment={"PATH": "/nowhere"}) as place:
            await place.fleet.disable("here")
            doctor = await told(place)
            assert [(one["status"], one["searched"]) for one in doctor["servers"]] == [("disabled", [])] * 2


async def test_a_connected_server_is_compared_with_its_definition(tmp_path: Path) -> None:
    policy = 'tools = ["note_list", "gone", "fled"]\nread = ["note_list", "gone"]\nalways_listed = ["fled"]'
    with anyio.fail_after(10):
        async with open_place(tmp_path, definitions=demo(more=policy), opened_by=demo_in_memory()) as place:
            assert (await server(place, "demo"))["warnings"] == []
            await place.fleet.live("demo")
            found = await server(place, "demo")
            assert found["status"] == "ready"
            assert found["warnings"] == ["tools names what it does not have: gone, fled"]


async def test_the_last_failure_is_shown_without_what_the_server_was_told(tmp_path: Path) -> None:
    definitions = script("one", "tells", "unwelcoming", env={"TOKEN": "${A_TOKEN}"})
    with anyio.fail_after(10):
        async with open_place(tmp_path, definitions=definitions, environment={"A_TOKEN": SECRET}) as place:
            with pytest.raises(ProblemError):
                await place.fleet.live("one")
            answer = await ask(place)
            found = await server(place, "one")
            assert (found["status"], found["problem"]["type"]) == ("failed", "request-refused")
            assert "[redacted]" in found["problem"]["detail"]
            assert SECRET not in everything(answer)


async def test_a_server_that_was_started_has_its_log(tmp_path: Path) -> None:
    with anyio.fail_after(10):
        async with open_place(
            tmp_path, definitions='[servers.one]\ncommand = "sh"\nargs = ["-c", "echo no >&2"]'
        ) as place:
            with pytest.raises(ProblemError):
                await place.fleet.live("one")
            assert (await server(place, "one"))["log"] == str(place.logs / "one.log")


async def test_a_reference_that_cannot_be_resolved_is_the_last_error_once_somebody_tried(tmp_path: Path) -> None:
    definitions = script("one", "polite", env={"X": "${NOT_SET}"})
    with anyio.fail_after(10):
        async with open_place(tmp_path, definitions=definitions) as place:
            with pytest.raises(ProblemError):
                await place.fleet.live("one")
            assert (await server(place, "one"))["problem"]["type"] == "reference-missing"


async def test_what_a_resolver_gave_counts_as_set_as_long_as_it_serves(tmp_path: Path) -> None:
    async def resolve(alias: str, names: tuple[str, ...]) -> Fed:
        return Fed(values=dict.fromkeys(names, SECRET))

    definitions = script("one", "polite", env={"X": "${FROM_PASS}"})
    with anyio.fail_after(10):
        async with open_place(tmp_path, definitions=definitions, ask=resolve) as place:
            assert (await server(place, "one"))["references"][0]["state"] == "missing"
            await place.fleet.live("one")
            answer = await ask(place)
            assert (await server(place, "one"))["references"][0]["state"] == "set"
            assert (await told(place))["resolver"] is True
            assert SECRET not in everything(answer)
            place.define(script("one", "polite", env={"X": "${ANOTHER}"}))
            assert (await server(place, "one"))["references"][0]["state"] == "missing"
