"""What each verb may be given, as it crosses from Lua."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from mcp_host.problems import Problem, ProblemError


def _object_from_lua(value: object) -> object:
    # An empty Lua table crosses as a list; as arguments it means an empty object.
    return {} if value == [] else value


Arguments = Annotated[str | dict[str, Any] | None, BeforeValidator(_object_from_lua)]
"""The arguments of a call: JSON text as typed, an object from Lua, or nothing."""


class Params(BaseModel):
    """Base of all: unknown members are refused, so that a misspelt one is never silently without effect."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class NoParams(Params):
    """For verbs that need nothing."""


class AliasParams(Params):
    """For verbs about one server."""

    alias: str


class ToolsParams(Params):
    """`tools`: all servers, or one."""

    alias: str | None = None


class ToolParams(Params):
    """`card`: one tool."""

    alias: str
    tool: str


GivenAnswersParam = str | list[Any] | dict[str, Any] | None
"""What to say to whatever the server asks: the path of a JSON file, or the entries themselves."""


class PreviewParams(Params):
    """`preview`: a call that shall be proposed."""

    alias: str
    tool: str
    arguments: Arguments = None


class ExecParams(PreviewParams):
    """`exec`: a call that shall run, or be proposed."""

    accept: bool = False
    """The person said `!`: run it without review."""
    interactive: bool = False
    """Somebody sits there who can review a proposal."""
    answers: GivenAnswersParam = None


class ReceiptParams(Params):
    """For verbs about one receipt; none means the only pending one."""

    receipt: str | None = None


class AcceptParams(ReceiptParams):
    """`accept`: the call of a receipt."""

    answers: GivenAnswersParam = None


class CallParams(Params):
    """For verbs about one call."""

    call: str


class ReadParams(Params):
    """`read`: one resource."""

    alias: str
    uri: str
    fresh: bool = False
    """Ask the server, whatever is still good of an earlier answer."""
    answers: GivenAnswersParam = None


class PromptParams(Params):
    """`prompt`: one prompt with its arguments."""

    alias: str
    prompt: str
    arguments: Arguments = None
    answers: GivenAnswersParam = None


class CompleteParams(Params):
    """`complete`: what one argument of a prompt, or one variable of a template, may be."""

    alias: str
    kind: Literal["prompt", "template"]
    name: str
    """The prompt's name, or the template as the server wrote it."""
    argument: str
    value: str = ""
    arguments: Arguments = None
    """The arguments that are known already."""


class CapabilitiesParams(Params):
    """`capabilities`: what this host speaks, and what was agreed with all connected servers or with one."""

    alias: str | None = None


class InteractionParams(Params):
    """For verbs about one interaction; none means the only open one."""

    interaction: str | None = None


class AnswerParams(InteractionParams):
    """`answer`: the text of the buffer, or the answers by key."""

    text: str | None = None
    answers: Arguments = None


FileLayer = Literal["user", "project", "session"]
"""The layers that a command can write to."""


class TrustParams(Params):
    """`trust`: to look at the project's file, or with the digest of what was looked at, to approve it."""

    digest: str | None = None


class DiscoverParams(Params):
    """`discover`: a URL, a command line, the file of another client, or nothing for the files that are found."""

    target: str | None = None


class DiscoveryParams(Params):
    """`candidates`: what one discovery found, again."""

    discovery: str


class AddParams(Params):
    """`add`: one server, given as a target with options, as a candidate or as TOML."""

    alias: str | None = None
    target: str | None = None
    options: Arguments = None
    candidate: str | None = None
    toml: str | None = None
    layer: FileLayer = "user"


class TemplateParams(Params):
    """`template`: TOML to fill in."""

    alias: str | None = None
    layer: FileLayer = "user"


class RemoveParams(Params):
    """`remove`: one server, from the nearest layer that defines it or from the one that is named."""

    alias: str
    layer: FileLayer | None = None


class DoctorParams(Params):
    """`doctor`: the editor's side of what is looked at."""

    resolver: bool | None = None
    """Whether `setup` was given a resolver; None: whoever asks does not know."""


class WorkspaceParams(Params):
    """`workspace`: the editor's folder, after it has changed."""

    cwd: str


def read_params(model: type[Params], verb: str, values: dict[str, Any]) -> Params:
    """The checked parameters.

    Raises:
        ProblemError: `usage`, naming each parameter that is missing, unknown or of the wrong type.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        faults = [
            f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}"
            for fault in error.errors(include_input=False, include_url=False)
        ]
        raise ProblemError(
            Problem(
                type="usage",
                title=f"{verb} was called with the wrong parameters",
                detail="\n".join(faults),
                hint=":help mcp_host-commands lists what each verb takes.",
            )
        ) from None
