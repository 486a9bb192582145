"""What the site needs beyond the usual extensions: members of classes, links, the command line, and formulas."""

from __future__ import annotations

import functools
import inspect
import re
import shutil
from collections import defaultdict
from dataclasses import dataclass
from importlib import import_module
from operator import itemgetter
from typing import Any

import click
from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ClassMembers:
    """Lists the public methods and properties of a class that have a docstring and are defined in priorcase.

    What comes from scikit-learn is documented there; the usual methods of estimators are ``inherited``. An instance
    rather than a function, since Sphinx keeps its settings by pickle.
    """

    def __call__(self, module: str, name: str) -> dict[str, list[str]]:
        cls = getattr(import_module(module), name)
        # Not by dir(cls), which leaves out what the help of an estimator does not show.
        found = {attribute: (base, value) for base in reversed(cls.__mro__) for attribute, value in vars(base).items()}
        members: dict[str, list[str]] = {"methods": [], "properties": [], "inherited": []}
        for attribute, (base, value) in sorted(found.items(), key=itemgetter(0)):
            from_sklearn = not base.__module__.startswith("priorcase") or re.fullmatch(r"set_\w+_request", attribute)
            if attribute.startswith("_") or from_sklearn or not value.__doc__:
                continue
            if isinstance(value, property | functools.cached_property):
                members["properties"].append(attribute)
            elif inspect.isroutine(value):
                members["methods"].append(attribute)
        if "get_params" in found:  # an estimator
            usual = ("score", "get_params", "set_params")
            members["inherited"] = [one for one in usual if one in found and one not in members["methods"]]
        return members


def remove_stale_pages(app: Sphinx) -> None:
    """Remove generated pages of names and examples that are gone, which a build would not find in any index."""
    reference = "".join(page.read_text(encoding="utf-8") for page in (app.srcdir / "reference").glob("*.md"))
    for page in (app.srcdir / "reference" / "api").glob("*.rst"):
        name = page.stem.removesuffix("-function").rpartition(".")[2]
        if f"\n   {name}\n" not in reference:
            page.unlink()
    gallery = app.srcdir / "auto_examples"
    for page in gallery.glob("**/plot_*.rst"):
        if not (app.srcdir.parent / "examples" / page.relative_to(gallery).with_suffix(".py")).exists():
            page.unlink()
    # Pages of source code are only written again when their module changes, though they link to pages that come and go.
    shutil.rmtree(app.outdir / "_modules", ignore_errors=True)


# -- Links

# Pages that stand for a file of the repository's root; all but the first show its text.
PAGES = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
_SHOWN = {"changelog": "CHANGELOG.md", "contributing": "CONTRIBUTING.md"}
_OUTWARD = re.compile(r"\]\(\.\./((?:\.\./)*)(" + "|".join(map(re.escape, PAGES)) + r")([)#])")
# Files of the root that the site does not show: their names stand as text.
_NOT_SHOWN = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?:CODE_OF_CONDUCT|SECURITY)\.md\)")


def read_root_files(app: Sphinx, docname: str, source: list[str]) -> None:
    """Show a file of the root where a page stands for it, and let links to such files lead to their pages."""
    if docname in _SHOWN:
        path = app.srcdir.parent / _SHOWN[docname]
        app.env.note_dependency(path)
        text = re.sub(r"\]\((?!https?:|#|docs/)", "](../", path.read_text(encoding="utf-8"))
        source[0] = text.replace("](docs/", "](")
    source[0] = _NOT_SHOWN.sub(r"\1", source[0])
    source[0] = _OUTWARD.sub(lambda found: f"]({found[1]}{PAGES[found[2]]}{found[3]}", source[0])


def reread_written_pages(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Read all pages that were not generated again where pages came or went: links to those are found in reading."""
    generated = ("reference/api/", "auto_examples/")
    return [one for one in env.found_docs if not one.startswith(generated)] if added or removed else []


class PublicNames:
    """Finds the page of a name that a docstring gives without its package, or by the file where it is defined."""

    def __init__(self) -> None:
        self.by_last: dict[str, list[str]] = {}

    def collect(self, app: Sphinx, env: BuildEnvironment) -> None:
        found = defaultdict(list)
        for full, entry in env.domains["py"].objects.items():
            if not entry.aliased:  # an alias is the file where a name is defined
                found[full.rpartition(".")[2]].append(full)
        self.by_last = dict(found)

    def resolve(self, app: Sphinx, env: BuildEnvironment, node: pending_xref, shown: nodes.Element) -> Any:
        if node.get("refdomain") != "py":
            return None
        target = node["reftarget"].removesuffix("()")
        names = self.by_last.get(target.rpartition(".")[2], [])
        # "GainRatio" and "KNNClassifier.fit" end a public name; priorcase.neighbors.KNNClassifier is such a name, too.
        matches = [full for full in names if f".{full}".endswith(f".{target}")]
        if not matches and target.startswith("priorcase."):
            matches = [full for full in names if full.count(".") <= target.count(".")]
        if len(matches) > 1:  # a member of the class that the page is about
            matches = [full for full in matches if full == f"{node['refdoc'].rpartition('/')[2]}.{target}"]
        if len(matches) != 1:
            return None
        domain = env.domains["py"]
        return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", matches[0], node, shown)


_BACK = re.compile(r'(<div class="viewcode-block" id="([^"]+)">\n<a class="viewcode-back" href="[^"#]*#)[^"]*')


def mend_links_from_source(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Let a page of source code link to the documented name of what it defines.

    Sphinx takes the package of the name that it met first for all names of a file, so that ``priorcase.schema.Table``
    is looked for as ``priorcase.Table`` where ``priorcase`` offers something else of that file.
    """
    _, _, used, _ = getattr(app.env, "_viewcode_modules", {}).get(context.get("title")) or (None, None, {}, None)
    if not pagename.startswith("_modules/") or not used:
        return
    objects = app.env.domains["py"].objects

    def mended(found: re.Match[str]) -> str:
        name = found[2]
        full = [
            each
            for each, entry in objects.items()
            if entry.docname == used.get(name) and f".{each}".endswith(f".{name}") and not entry.aliased
        ]
        return f"{found[1]}{min(full, key=len)}" if full else found[0]

    context["body"] = _BACK.sub(mended, context["body"])


# -- The command line


class Commands(SphinxDirective):
    """A section for each command of a click program, given as ``module:name``, with the text of its help."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        module, name = self.arguments[0].split(":")
        command: click.Command = getattr(import_module(module), name)
        program = module.partition(".")[0]
        return self.sections(click.Context(command, info_name=program, **command.context_settings))

    def sections(self, context: click.Context) -> list[nodes.Node]:
        context.max_content_width = context.terminal_width = 90
        section = nodes.section(ids=[nodes.make_id(context.command_path)], names=[context.command_path])
        section += nodes.title("", context.command_path)
        section += nodes.literal_block("", click.unstyle(context.command.get_help(context)), language="none")
        if not isinstance(context.command, click.Group):
            return [section]
        commands = [context.command.get_command(context, one) for one in context.command.list_commands(context)]
        inner = [
            click.Context(one, parent=context, info_name=one.name, **one.context_settings)
            for one in commands
            if one is not None
        ]
        return [section, *(node for each in inner for node in self.sections(each))]


# -- Formulas


_THIN_SPACE = '<mspace width="0.17em"/>'


def mathml(node: nodes.Element, *, block: bool) -> str:
    """A formula as MathML, which browsers draw without a script."""
    text = re.sub(r"\\dots\b", r"\\ldots", node.astext())  # docutils does not know the first
    try:
        formula = str(latex2mathml.tex2mathml(text, as_block=block))
    except MathError as error:
        logger.warning("formula %r: %s", text, error, location=node)
        return f"<code>{nodes.unescape(text)}</code>"
    # Functions such as ln stand apart from what they are multiplied with and applied to, as in TeX.
    formula = re.sub(r"(</m\w+>\s*)(<mi>[a-z]{2,}</mi>\s*<mo>&ApplyFunction;)", rf"\1{_THIN_SPACE}\2", formula)
    return re.sub(r"<mo>&ApplyFunction;</mo>(?!\s*<mo)", _THIN_SPACE, formula)


def inline_formula(writer: Any, node: nodes.math) -> None:
    writer.body.append(mathml(node, block=False))
    raise nodes.SkipNode


def displayed_formula(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="math">{mathml(node, block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline_formula, None), (displayed_formula, None))
    app.add_directive("commands", Commands)
    app.connect("builder-inited", remove_stale_pages, priority=100)  # before any page is generated
    app.connect("source-read", read_root_files)
    app.connect("env-get-outdated", reread_written_pages)
    public = PublicNames()
    app.connect("env-check-consistency", public.collect)
    app.connect("missing-reference", public.resolve)
    app.connect("html-page-context", mend_links_from_source)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
