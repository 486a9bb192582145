"""Sphinx configuration of the documentation; ``make docs`` builds it into build/docs, without a network."""

from __future__ import annotations

import inspect
import re
import warnings
from collections import defaultdict
from importlib import import_module
from typing import Any

import click
import matplotlib as mpl
from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

import priorcase

mpl.use("Agg")
# Examples are run with warnings as they are shown to a user, but for one of matplotlib about its backend.
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")
logger = logging.getLogger(__name__)

project = "priorcase"
author = "The priorcase developers"
copyright = author
release = priorcase.__version__
version = ".".join(release.split(".")[:2])

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
exclude_patterns = ["_templates", "auto_examples/**.ipynb", "auto_examples/**.py"]
highlight_language = "none"  # blocks without a language are not code
default_role = "py:obj"
nitpicky = False  # single backticks in docstrings may also name attributes that have no entry; Markdown links are checked

# -- Markdown

myst_enable_extensions = ["colon_fence", "dollarmath", "deflist"]
myst_heading_anchors = 4
myst_dmath_double_inline = False
myst_dmath_allow_digits = False  # "$5 and $6" is no formula

# -- Reference

autosummary_generate = True
# Names that differ by capitals only need files that differ on every file system.
autosummary_filename_map = {
    "priorcase.bayes.laplace": "priorcase.bayes.laplace-function",
    "priorcase.cases.design": "priorcase.cases.design-function",
    "priorcase.counterfactuals": "priorcase.counterfactuals-function",
    "priorcase.evaluation.prequential": "priorcase.evaluation.prequential-function",
}
autodoc_typehints = "none"
autodoc_preserve_defaults = True
numpydoc_show_class_members = False  # the template lists them
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False
viewcode_line_numbers = True


def class_members(module: str, name: str) -> dict[str, list[str]]:
    """The public methods and properties of a class that have a docstring and are defined in priorcase.

    What comes from scikit-learn, such as ``set_params``, is documented there.
    """
    cls = getattr(import_module(module), name)
    members: dict[str, list[str]] = {"methods": [], "properties": []}
    for attribute in inspect.classify_class_attrs(cls):
        value = attribute.object
        ours = attribute.defining_class.__module__.startswith("priorcase")
        if attribute.name.startswith("_") or not ours:
            continue
        if attribute.kind in ("method", "class method", "static method"):
            if inspect.getdoc(getattr(cls, attribute.name)):
                members["methods"].append(attribute.name)
        elif (attribute.kind == "property" or inspect.isdatadescriptor(value)) and getattr(value, "__doc__", None):
            # Slots and fields of dataclasses are described among the attributes of the class.
            if isinstance(value, property) or hasattr(value, "func"):
                members["properties"].append(attribute.name)
    return members


autosummary_context = {"class_members": class_members}

# -- Examples

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"(^|/)(?!plot_)[^/]*\.py$",
    "within_subsection_order": "FileNameSortKey",
    "doc_module": ("priorcase",),
    "backreferences_dir": "auto_examples/backreferences",
    "reference_url": {"priorcase": None},
    "image_scrapers": ("matplotlib",),
    "reset_modules": ("matplotlib",),
    "remove_config_comments": True,
    "download_all_examples": False,
    "write_computation_times": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 5,
    "parallel": True,
}

# -- Pages

html_theme = "pydata_sphinx_theme"
html_title = "priorcase"
html_static_path = ["_static"]
html_css_files = ["priorcase.css"]
html_favicon = "_static/favicon.svg"
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "priorcase", "image_light": "_static/logo.svg", "image_dark": "_static/logo-dark.svg"},
    "header_links_before_dropdown": 5,
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "collapse_navigation": True,
    "navigation_depth": 2,
    "show_nav_level": 1,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "changelog": [], "architecture": [], "extending": []}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True


def inline_formula(writer: Any, node: nodes.math) -> None:
    """Write a formula as MathML, which browsers draw without a script."""
    writer.body.append(mathml(node, block=False))
    raise nodes.SkipNode


def displayed_formula(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="math">{mathml(node, block=True)}</div>\n')
    raise nodes.SkipNode


def mathml(node: nodes.Element, *, block: bool) -> str:
    text = node.astext()
    try:
        return str(latex2mathml.tex2mathml(text, as_block=block))
    except MathError as error:
        logger.warning("formula %r: %s", text, error, location=node)
        return f"<code>{nodes.unescape(text)}</code>"


class PublicNames:
    """Finds the page of a name that a docstring gives without its package, or by the file where it is defined."""

    def __init__(self) -> None:
        self.by_last: dict[str, list[str]] = {}

    def collect(self, app: Sphinx, env: BuildEnvironment) -> None:
        found = defaultdict(list)
        for full in env.domains["py"].objects:
            found[full.rpartition(".")[2]].append(full)
        self.by_last = dict(found)

    def resolve(self, app: Sphinx, env: BuildEnvironment, node: pending_xref, shown: nodes.Element) -> Any:
        if node.get("refdomain") != "py":
            return None
        target = node["reftarget"].removesuffix("()")
        names = self.by_last.get(target.rpartition(".")[2], [])
        # "GainRatio" and "KNNClassifier.fit" end a public name; priorcase.neighbors.KNNClassifier is one by another path.
        matches = [full for full in names if f".{full}".endswith(f".{target}")]
        if not matches and target.startswith("priorcase."):
            matches = [full for full in names if full.count(".") <= target.count(".")]
        if len(matches) != 1:
            return None
        domain = env.domains["py"]
        return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", matches[0], node, shown)


class Commands(SphinxDirective):
    """A section for each command of a click program, ``module:name``, with the text of its help."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        module, name = self.arguments[0].split(":")
        return self.sections(click.Context(getattr(import_module(module), name), info_name=name_of(module)))

    def sections(self, context: click.Context) -> list[nodes.Node]:
        context.max_content_width = context.terminal_width = 90
        section = nodes.section(ids=[nodes.make_id(context.command_path)], names=[context.command_path])
        section += nodes.title("", context.command_path)
        section += nodes.literal_block("", click.unstyle(context.command.get_help(context)), language="none")
        if not isinstance(context.command, click.Group):
            return [section]
        commands = [context.command.get_command(context, one) for one in context.command.list_commands(context)]
        inner = [click.Context(one, parent=context, info_name=one.name) for one in commands if one is not None]
        return [section, *(node for each in inner for node in self.sections(each))]


def name_of(module: str) -> str:
    return module.partition(".")[0]


# Pages that include a file of the repository's root.
INCLUDED = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
OUTWARD = re.compile(r"\]\(\.\./((?:\.\./)*)(" + "|".join(map(re.escape, INCLUDED)) + r")([)#])")


def link_inwards(app: Sphinx, docname: str, source: list[str]) -> None:
    """Let links to files of the repository's root lead to the pages that include them."""
    source[0] = OUTWARD.sub(lambda found: f"]({found[1]}{INCLUDED[found[2]]}{found[3]}", source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline_formula, None), (displayed_formula, None))
    app.add_directive("commands", Commands)
    app.connect("source-read", link_inwards)
    public = PublicNames()
    app.connect("env-check-consistency", public.collect)
    app.connect("missing-reference", public.resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
