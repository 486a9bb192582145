"""Sphinx configuration of the documentation; ``make docs`` builds it into build/docs, without a network."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import matplotlib as mpl

import priorcase

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))
from priorcase_site import ClassMembers

mpl.use("Agg")
# Examples are run with warnings as they are shown to a user, but for one of matplotlib about its backend.
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")

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
    "priorcase_site",
]
templates_path = ["_templates"]
exclude_patterns = ["_extensions", "_templates", "auto_examples/**.ipynb", "auto_examples/**.py"]
highlight_language = "none"  # blocks without a language are not code
smartquotes = False  # commands in tables, such as "timbl ... --clones=2", would get an en dash
default_role = "py:obj"
nitpicky = False  # backticks in docstrings may also name what has no page; links in Markdown are checked all the same

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
toc_object_entries_show_parents = "hide"
autosummary_context = {"class_members": ClassMembers()}

# -- Examples

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"(^|/)(?!plot_)[^/]*\.py$",
    "subsection_order": [
        *(
            f"../examples/{one}"
            for one in ("neighbors", "bayes", "concepts", "local", "evaluation", "explaining", "cases")
        ),
        "*",
    ],
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
    "thumbnail_size": (480, 336),
    "parallel": True,
}

# -- Pages

html_theme = "pydata_sphinx_theme"
html_title = "priorcase"
html_static_path = ["_static"]
html_css_files = ["priorcase.css"]
html_search_scorer = str(Path(__file__).parent / "_static" / "search_order.js")
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
    # None beside wide tables. Their pages stand one by one, since a page must not match two patterns.
    "secondary_sidebar_items": {
        "**": ["page-toc"],
        "benchmarks/models": [],
        "benchmarks/quality": [],
        "benchmarks/speed": [],
    },
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "collapse_navigation": True,
    "navigation_depth": 2,
    "show_nav_level": 1,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "github-light",
    "pygments_dark_style": "github-dark",
}
html_sidebars = {one: [] for one in ("index", "extending", "architecture", "contributing", "changelog")}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
