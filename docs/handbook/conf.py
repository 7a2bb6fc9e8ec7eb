# SPDX-License-Identifier: GPL-3.0-or-later
# `./dev handbook` makes HTML and PDF of this folder and of the rules beside it, in build/handbook.
import os

project = "Tilewright"
author = "the Tilewright developers"
release = os.environ.get("TILEWRIGHT_VERSION", "")
html_title = f"Tilewright {release}".strip()

extensions = ["myst_parser"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
root_doc = "handbook/index"
exclude_patterns = ["handbook/generated"]
nitpicky = True
suppress_warnings = ["misc.highlighting_failure"]  # the rules abbreviate their JSON

html_theme = "furo"
pygments_style = "tango"  # what a program prints is not in italics
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
