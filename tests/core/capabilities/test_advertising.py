"""What a server is told follows from the rows and from what is offered, and from nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from itertools import product
from typing import Any

import pytest
from mcp_types import ClientCapabilities

from mcp_host.core.capabilities.advertising import advertisement
from mcp_host.core.capabilities.capability import BOTH, Capability, Deferred, Excluded, Fragment, Supported
from mcp_host.core.capabilities.matrix import MATRIX
from mcp_host.core.catalog.catalog import Era
from mcp_host.core.offers import Offer

ERAS: tuple[Era, ...] = BOTH
NOTHING = Offer(elicitation=False, sampling=False, legacy_roots=False, modern_roots=False, tasks=False)
QUESTIONS: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}}
TASKS: dict[str, Any] = {"extensions": {"io.modelcontextprotocol/tasks": {}}}


def offers() -> Iterator[Offer]:
    """Every offer that there can be, with and without a log level."""
    flags = [one.name for one in fields(Offer) if one.name != "log_level"]
    for values in product((False, True), repeat=len(flags)):
        given: dict[str, Any] = dict(zip(flags, values, strict=True))
        yield Offer(**given)
        yield Offer(**given, log_level="debug")


def holds(told: Mapping[str, Any], fragment: Fragment) -> bool:
    """Whether the fragment's own last member is in the object that a server gets."""
    return all(
        key in told and (isinstance(value, bool) or not value or holds(told[key], value))
        for key, value in fragment.items()
    )


@pytest.mark.behaviour("capabilities.nothing-undone")
@pytest.mark.parametrize("era", ERAS)
def test_nothing_that_is_not_done_is_advertised_whatever_is_offered(era: Era) -> None:
    absent = [row for row in MATRIX if isinstance(row.standing, Excluded | Deferred) and row.client_says]
    assert {"apps", "skills", "sampling-tools", "sampling-include-context", "tasks-2025-11-25"} <= {
        row.id for row in absent
    }
    for offer in offers():
        told = advertisement(era, offer)
        assert [row.id for row in absent if holds(told, row.client_says)] == [], offer


@pytest.mark.behaviour("capabilities.modes")
@pytest.mark.parametrize(
    ("offer", "modern", "legacy"),
    [
        (NOTHING, {}, {}),
        (replace(NOTHING, elicitation=True), QUESTIONS, QUESTIONS),
        (replace(NOTHING, sampling=True), {"sampling": {}}, {"sampling": {}}),
        (replace(NOTHING, legacy_roots=True), {}, {"roots": {"listChanged": True}}),
        (replace(NOTHING, modern_roots=True), {"roots": {}}, {}),
        (replace(NOTHING, tasks=True), TASKS, {}),
        (Offer(), {**QUESTIONS, **TASKS}, {**QUESTIONS, "roots": {"listChanged": True}}),
    ],
)
def test_each_era_is_told_what_is_offered_in_its_own_shape(
    offer: Offer, modern: dict[str, Any], legacy: dict[str, Any]
) -> None:
    assert advertisement("modern", offer) == modern
    assert advertisement("legacy", offer) == legacy


@pytest.mark.parametrize("era", ERAS)
def test_every_member_is_one_that_the_specification_knows(era: Era) -> None:
    for offer in offers():
        told = advertisement(era, offer)
        read = ClientCapabilities.model_validate(told)
        assert read.model_dump(by_alias=True, mode="json", exclude_none=True) == told


@pytest.mark.parametrize("era", ERAS)
def test_what_depends_on_nothing_is_told_on_every_connection(era: Era) -> None:
    row = Capability(
        id="x",
        title="X",
        eras=BOTH,
        spec="https://x.example",
        client_says={"extensions": {"com.example/x": {}}},
        standing=Supported(evidence=(), told={"modern": "always", "legacy": "always"}),
    )
    assert row.advertised == "always"
    assert advertisement(era, NOTHING, matrix=[row]) == {"extensions": {"com.example/x": {}}}


def test_two_servers_never_share_an_object() -> None:
    first = advertisement("modern", Offer())
    first["elicitation"]["form"]["changed"] = True
    first["extensions"]["io.modelcontextprotocol/tasks"]["changed"] = True
    assert advertisement("modern", Offer()) == {**QUESTIONS, **TASKS}
