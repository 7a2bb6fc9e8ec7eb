#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every sample and fixture satisfies the schema of its kind in docs/schema; damaged ones do not.

    check_schemas.py ROOT FILES.json     FILES.json: {"kind": [paths...]}, as the program tells them apart;
                                         "sweep#table" is $defs/table of the schema of sweep
"""
import copy
import json
import sys
from pathlib import Path

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("SKIP: python3-jsonschema is not installed")
    sys.exit(77)

DAMAGES = [("a text for a required list or number", lambda v: "damaged"), ("null", lambda v: None)]


def main():
    root, files = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
    bad = 0
    for kind, paths in sorted(files.items()):
        name, _, part = kind.partition("#")
        schema = json.loads((root / "docs/schema" / (name + ".schema.json")).read_text())
        Draft202012Validator.check_schema(schema)
        if part:
            schema["$ref"] = "#/$defs/" + part
        validator = Draft202012Validator(schema)
        if not paths:
            print(kind + ": there is no file of this kind to check")
            bad += 1
        for path in paths:
            value = json.loads(Path(path).read_text())
            for error in list(validator.iter_errors(value))[:1]:
                print(f"{path}: not a {kind}: {error.json_path}: {error.message[:200]}")
                bad += 1
            top = schema["$defs"][schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema
            rules = top.get("oneOf") or top.get("anyOf") or [top]
            required = {key for rule in rules for key in rule.get("required", [])} & set(value)
            for key in required:
                mayBeText = {"type": "string"} in top.get("properties", {}).get(key, {}).get("oneOf", [])
                for what, damage in DAMAGES[mayBeText:]:
                    broken = copy.deepcopy(value)
                    if isinstance(value[key], str) and what != "null":
                        continue
                    broken[key] = damage(value[key])
                    if validator.is_valid(broken):
                        print(f"{path}: {key} may be {what}")
                        bad += 1
            if len(rules) == 1:
                for key in required:
                    broken = {k: v for k, v in value.items() if k != key}
                    if validator.is_valid(broken):
                        print(f"{path}: {key} may be missing")
                        bad += 1
    print(f"{sum(map(len, files.values()))} files of {len(files)} kinds, {bad} faults")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
