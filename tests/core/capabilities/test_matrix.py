"""Every row of the matrix is whole, and what it says to be there is shown by tests that run."""

from __future__ import annotations

import re

from mcp_host.core.capabilities.capability import Excluded, Partial, Supported
from mcp_host.core.capabilities.matrix import MATRIX
from tests.written_tests import fault_of, needs_servers


def test_ids_are_unique_kebab_words() -> None:
    ids = [row.id for row in MATRIX]
    assert len(set(ids)) == len(ids)
    assert [one for one in ids if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", one)] == []


def test_every_row_says_where_it_comes_from_and_in_which_eras() -> None:
    for row in MATRIX:
        assert row.spec.startswith("https://"), row.id
        assert row.eras, row.id
        assert row.title.strip(), row.id


def test_what_is_not_wholly_there_says_why() -> None:
    assert [row.id for row in MATRIX if row.disposition != "supported" and not row.note.strip()] == []


def test_only_what_has_a_word_on_the_wire_is_told_and_only_in_its_eras() -> None:
    for row in MATRIX:
        assert set(row.told) <= set(row.eras), row.id
        assert row.client_says or not row.told, row.id


def test_each_supported_row_has_evidence_that_exists_and_runs() -> None:
    faults: list[str] = []
    for row in MATRIX:
        if isinstance(row.standing, Supported | Partial):
            found = [fault for test in row.evidence if (fault := fault_of(test))]
            faults += [f"{row.id}: {fault}" for fault in found]
            if not row.evidence:
                faults.append(f"{row.id} has no evidence")
            elif not found and all(map(needs_servers, row.evidence)):
                faults.append(f"{row.id} is shown only where third-party servers are installed")
    assert not faults, "\n".join(faults)


def test_how_it_is_advertised_is_read_off_the_conditions() -> None:
    assert Excluded(note="no").disposition == "excluded"
    words = {row.id: row.advertised for row in MATRIX}
    assert {one for one, advertised in words.items() if advertised != "never"} == {
        "elicitation-form",
        "elicitation-url",
        "roots",
        "roots-list-changed",
        "sampling",
        "tasks",
    }
    assert "always" not in words.values()
