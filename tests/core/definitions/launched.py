"""Launches of definitions in an environment, for the tests that look at them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from mcp_host.core.definitions.launch import HttpLaunch, StdioLaunch, prepare_launch
from mcp_host.core.definitions.parsing import parse_definition
from mcp_host.problems import Problem, ProblemError

FILE = "/home/me/mcp.toml"
ENVIRONMENT = {"HOME": "/home/me", "PATH": "/usr/bin", "API_TOKEN": "s3cr3t", "AWS_SECRET_ACCESS_KEY": "leak"}


def prepare(
    table: Mapping[str, object], environment: Mapping[str, str] = ENVIRONMENT, *, fed: Mapping[str, str] | None = None
) -> StdioLaunch | HttpLaunch:
    return prepare_launch("case", parse_definition(table), environment, file=FILE, line=3, fed=fed or {})


def prepare_stdio(table: Mapping[str, object], environment: Mapping[str, str] = ENVIRONMENT) -> StdioLaunch:
    launch = prepare(table, environment)
    assert isinstance(launch, StdioLaunch)
    return launch


def problem_of(table: Mapping[str, object], environment: Mapping[str, str] = ENVIRONMENT) -> Problem:
    with pytest.raises(ProblemError) as caught:
        prepare(table, environment)
    return caught.value.problem
