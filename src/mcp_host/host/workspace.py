"""The verb about the editor's folder: the project's file and what is disabled depend on it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mcp_host.host.answers import Answer
from mcp_host.host.fleet import Fleet
from mcp_host.host.params import WorkspaceParams


@dataclass(kw_only=True)
class Workspace:
    """Follows the editor from folder to folder."""

    fleet: Fleet

    async def move(self, params: WorkspaceParams) -> Answer:
        """The editor is in this folder now. Servers of another project's file are stopped."""
        project = self.fleet.definitions.project
        roots = self.fleet.sides.interactions.roots
        before = roots()
        project.folder = Path(params.cwd)
        await self.fleet.reconcile()
        if roots() != before:
            self.fleet.tell_roots_changed()
        file = str(project.path)
        return Answer(kind="workspace", document={"workspace": {"folder": str(self.fleet.workspace), "file": file}})
