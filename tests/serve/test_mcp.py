"""``priorcase serve --mcp`` in a process of its own, asked by the client of the package mcp."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from commands import PROGRAM, error, run, write
from mcp import Client, StdioServerParameters, stdio_client

import priorcase as pc
from priorcase.serve import Limits, create_mcp_server

ROWS = [[31, "red"], [62, "blue"], [60, "red"], [25, None]]
Ask = Callable[..., Awaitable[Any]]


def knn() -> pc.KNNClassifier:
    return pc.KNNClassifier(1).fit(ROWS, ["no", "yes", "yes", "no"])


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return Path(knn().save(tmp_path / "model.priorcase"))


@pytest.fixture
def base(tmp_path: Path) -> Path:
    path = tmp_path / "desk.priorcase"
    with pc.CaseBase.open(path, {"area": "nominal", "people": "numeric"}) as opened:
        opened.add({"area": "vpn", "people": 1}, solution="renew")
    return path


def talked(talk: Callable[[Client, Ask], Awaitable[None]], server: Any) -> None:
    """Talk with a server, of this process or with one that a command starts."""

    async def main() -> None:
        with anyio.fail_after(120):
            async with Client(server) as client:

                async def ask(tool: str, **arguments: Any) -> Any:
                    result = await client.call_tool(tool, arguments)
                    text = result.content[0].text  # type: ignore[union-attr]
                    return text if result.is_error else json.loads(text)

                await talk(client, ask)

    anyio.run(main)


def started(*args: object) -> Any:
    command, *rest = PROGRAM
    return stdio_client(StdioServerParameters(command=command, args=[*rest, "serve", *map(str, args), "--mcp"]))


async def tools(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


def test_a_model_is_consulted(model: Path) -> None:
    async def talk(client: Client, ask: Ask) -> None:
        assert await tools(client) == ["ask", "explain", "what_if", "schema"]
        assert (await ask("schema"))["classes"] == ["no", "yes"]
        (found,) = (await ask("ask", row={"x0": 61, "x1": None}))["predictions"]
        assert found["prediction"] == "yes"
        (why,) = (await ask("explain", row={"x0": 30, "x1": "red"}, fixed=["x1"]))["predictions"]
        assert why["precedents"][0]["id"] == 0
        assert all(list(one["changes"]) == ["x0"] for one in why["counterfactuals"])
        assert (await ask("what_if", row={"x0": 61}, columns=["x1"]))["columns"] == ["x1"]
        refusal = await ask("ask", row={"x7": 1})
        assert refusal.startswith("Row 0 has an unknown column 'x7'.")
        assert "columns" in await ask("what_if", row={"x0": 61}, columns=[])

    talked(talk, started(model))


def test_a_case_base_is_consulted_and_learns(base: Path) -> None:
    async def talk(client: Client, ask: Ask) -> None:
        assert await tools(client) == ["ask", "explain", "add_case", "feedback", "schema"]
        assert (await ask("ask", query={"area": "vpn"}, k=1))["solution"] == "renew"
        assert await ask("add_case", case={"area": "printer"}, solution="clean", why="call") == {"id": 2}
        assert (await ask("feedback", id=2, outcome=True, changes={"people": 7}))["values"]["people"] == 7
        assert (await ask("explain", id=2))["history"][0]["action"] == "added"
        assert "No case meets" in await ask("ask", query={"area": "vpn"}, where=["people>=100"])
        assert "9" in await ask("feedback", id=9, outcome=True)

    talked(talk, started(base))
    with pc.CaseBase.open(base, readonly=True) as opened:
        assert opened.get(2).solution == "clean"


def test_read_only_has_no_tools_that_change(base: Path) -> None:
    async def talk(client: Client, ask: Ask) -> None:
        assert await tools(client) == ["ask", "explain", "schema"]
        assert "add_case" in await ask("add_case", case={"area": "printer"})

    talked(talk, started(base, "--read-only"))


def test_limits_are_those_of_the_service() -> None:
    async def talk(client: Client, ask: Ask) -> None:
        assert "more than 20 characters" in await ask("ask", row={"x1": "r" * 21})
        assert "more than 1,000 bytes" in await ask("ask", row={"x1": "r" * 1000})
        assert "\x1b" not in await ask("ask", row={"\x1b[2J": 1})

    talked(talk, create_mcp_server(knn(), limits=Limits(body=1000, text=20)))


def test_limits_and_numbers_of_cases_are_those_of_the_service(base: Path) -> None:
    async def talk(client: Client, ask: Ask) -> None:
        for given in ({"case": {"area": "v" * 21}}, {"case": {"area": "vpn"}, "why": "v" * 21}):
            assert "more than 20 characters" in await ask("add_case", **given)
        assert (await ask("feedback", id=1, why="v" * 20))["id"] == 1
        assert "expected a number" in await ask("ask", query={"people": "2"})
        assert "valid integer" in await ask("ask", query={"people": 2}, k="2")
        assert "valid integer" in await ask("explain", id="1")

    with pc.CaseBase.open(base) as opened:
        talked(talk, create_mcp_server(opened, limits=Limits(text=20)))


def test_nothing_but_the_protocol_is_printed(tmp_path: Path) -> None:
    """Not even of a table, of which it is told how it was read."""
    lines = [f"{i // 2},{('own', 'rent')[i % 2]},{'no' if i < 20 else 'yes'}" for i in range(40)]
    table = write(tmp_path / "loans.csv", ["income,housing,repaid", *lines])
    command = [*PROGRAM, "serve", str(table), "--target", "repaid", "--mcp"]
    hello: dict[str, Any] = {"protocolVersion": "2025-06-18", "capabilities": {}}
    hello["clientInfo"] = {"name": "test", "version": "1"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        out, told = process.communicate(json.dumps(message).encode() + b"\n", timeout=120)
    assert process.returncode == 0, told
    assert [json.loads(line)["id"] for line in out.splitlines()] == [1]


def test_repeated_names_are_refused(base: Path) -> None:
    """What a client sends is written here by hand, because a dictionary has no repeated names."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    lines = [json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})]
    lines.append('{"jsonrpc": "2.0", "method": "notifications/initialized"}')
    arguments = [
        '{"case": {"area": "vpn", "people": 1, "people": 2}}',
        '{"case": {"area": "vpn"}, "solution": {"do": "renew", "do": "wait"}}',
        '{"case": {"area": "vpn"}, "case": {"area": "printer"}}',
        '{"case": {"area": "vpn", "people": 2}}',
    ]
    call = '{"jsonrpc": "2.0", "id": %d, "method": "tools/call", "params": {"name": "add_case", "arguments": %s}}'
    lines += [call % (number, given) for number, given in enumerate(arguments, start=1)]
    command = [*PROGRAM, "serve", str(base), "--mcp"]
    found = {}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("".join(f"{line}\n" for line in lines))
        process.stdin.flush()
        while len(found) < len(arguments) + 1:
            document = json.loads(process.stdout.readline())
            found[document["id"]] = document.get("result", {})
        process.stdin.close()
        assert process.wait(60) == 0
    assert "'people' occurs more than once" in found[1]["content"][0]["text"]
    assert "'do' occurs more than once" in found[2]["content"][0]["text"]
    assert [found[number]["isError"] for number in (1, 2, 3)] == [True, True, True]
    assert json.loads(found[4]["content"][0]["text"]) == {"id": 2}
    with pc.CaseBase.open(base, readonly=True) as opened:
        assert [case.id for case in opened] == [1, 2]


def test_what_has_no_effect_or_is_missing_is_said(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "--port has no effect" in error(run("serve", model, "--mcp", "--port", 1))
    assert "--save has no effect" in error(run("serve", model, "--mcp", "--save", model))
    for name in [name for name in sys.modules if name.startswith(("priorcase.serve.", "mcp."))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert "priorcase[mcp]" in error(run("serve", model, "--mcp"))
