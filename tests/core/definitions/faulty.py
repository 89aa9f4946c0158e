"""What is wrong with a server's table, for the tests that compare it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from mcp_host.core.definitions.faults import FaultyDefinition, field_name
from mcp_host.core.definitions.parsing import parse_definition

LITERAL = "sk-live-0123456789"


def faults_of(table: Mapping[str, object]) -> dict[str, str]:
    """Field to text of every fault, each checked to quote no value."""
    with pytest.raises(FaultyDefinition) as caught:
        parse_definition(table)
    for fault in caught.value.faults:
        assert LITERAL not in fault.text + fault.hint + str(caught.value)
        assert fault.hint.endswith((".", "?"))
    return {field_name(fault.path): fault.text for fault in caught.value.faults}


def hint_of(table: Mapping[str, object]) -> str:
    with pytest.raises(FaultyDefinition) as caught:
        parse_definition(table)
    (fault,) = caught.value.faults
    return fault.hint
