"""Aliases: what becomes of a foreign name."""

from __future__ import annotations

import pytest

from mcp_host.core.definitions.models import is_alias
from mcp_host.core.importing.aliases import Aliases, fitting_alias


@pytest.mark.parametrize(
    ("name", "alias"),
    [
        ("time", "time"),
        ("pythonTools", "pythontools"),
        ("my_server", "my-server"),
        ("Wetter Köln", "wetter-koln"),
        ("com.microsoft/markitdown", "markitdown"),
        ("@scope/notes/", "notes"),
        ("1password", "mcp-1password"),
        ("-- a --", "a"),
        ("", "server"),
        ("💥", "server"),
        ("\ud800", "server"),
        ("a" * 31 + "-b", "a" * 31),
    ],
)
def test_a_name_is_made_to_fit(name: str, alias: str) -> None:
    assert fitting_alias(name) == alias
    assert is_alias(alias)


def test_an_alias_is_given_once_however_long_it_is() -> None:
    aliases = Aliases()
    assert [aliases.take(name) for name in ("a", "a", "a-2", "A", "b" * 40, "b" * 50, "b" * 60)] == [
        "a",
        "a-2",
        "a-2-2",
        "a-3",
        "b" * 32,
        "b" * 30 + "-2",
        "b" * 30 + "-3",
    ]


def test_thousands_of_the_same_name_all_get_an_alias() -> None:
    aliases = Aliases()
    taken = {aliases.take("x" * 32) for _ in range(5000)}
    assert len(taken) == 5000
    assert all(is_alias(alias) for alias in taken)
