"""What every test gets."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Tests marked `anyio` run where the host runs: on asyncio."""
    return "asyncio"
