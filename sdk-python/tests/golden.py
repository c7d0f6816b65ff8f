"""The golden files every SDK of Floe is held to; see the README beside them."""

import json
import os
from pathlib import Path

_BESIDE = Path(__file__).resolve().parents[2] / "packages" / "testkit" / "golden" / "heartbeat"
FOLDER = Path(os.environ.get("FLOE_GOLDEN", _BESIDE))


def golden(name):
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
