# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests share: the samples, and the command line as the measure."""

import json
import os
import pathlib
import subprocess

SOURCE = pathlib.Path(os.environ["TILEWRIGHT_SOURCE_DIR"])
SAMPLES = SOURCE / "samples"
SCHEDULES = SAMPLES / "schedule"
CLI = os.environ["TILEWRIGHT_CLI"]


def run_cli(*arguments):
    command = [CLI, *(str(a) for a in arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def cli_json(*arguments):
    """The document that the command line prints."""
    done = run_cli(*arguments, "--json")
    if done.returncode not in (0, 1):
        raise AssertionError(f"{arguments}: {done.stderr}")
    return json.loads(done.stdout)


def cli_sentence(*arguments):
    """The sentence with which the command line refuses."""
    done = run_cli(*arguments)
    if done.returncode == 0:
        raise AssertionError(f"{arguments} was accepted")
    return done.stderr.strip().removeprefix("tilewright-cli: ")


def without(document, *names):
    """The document without what a clock says, at any depth."""
    if isinstance(document, dict):
        return {k: without(v, *names) for k, v in document.items() if k not in names}
    if isinstance(document, list):
        return [without(v, *names) for v in document]
    return document
