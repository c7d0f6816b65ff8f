"""Writes requirements.txt: LiteLLM's proxy and its dependencies, with versions and the hashes of their Linux wheels.

    echo 'litellm[proxy]==VERSION' > in.txt
    uv pip compile --universal --python-version 3.11 --format pylock.toml --only-binary :all: in.txt -o pylock.toml
    python3 bench/litellm/lock.py < pylock.toml > bench/litellm/requirements.txt

The lock file of uv also contains the address of each file. Only the hashes are kept.
"""

import re
import sys
import tomllib

# The last three parts of a wheel's name (PEP 427), for CPython 3.11 to 3.14 on Linux with glibc.
USABLE = re.compile(r"-(?:(?:py2\.)?py3-none|cp31[1-4]-(?:cp31[1-4]|none)|cp3\d+-abi3)-(?:any|manylinux\w+_(?:x86_64|aarch64)[\w.]*)\.whl$")
OTHER_SYSTEMS = re.compile(r"sys_platform == '(?:win32|emscripten)'")


def entry(package):
    """The lines of one package; empty for a package that only other systems need."""
    marker = package.get("marker", "")
    if OTHER_SYSTEMS.search(marker):
        return ""
    wheels = [wheel for wheel in package.get("wheels", []) if USABLE.search(wheel["url"])]
    if not wheels:
        sys.exit(f"{package['name']} {package['version']} has no wheel for Linux")
    hashes = sorted({wheel["hashes"]["sha256"] for wheel in wheels})
    head = f"{package['name']}=={package['version']}" + (f" ; {marker}" if marker else "")
    return " \\\n".join([head, *(f"    --hash=sha256:{digest}" for digest in hashes)]) + "\n"


packages = sorted(tomllib.load(sys.stdin.buffer)["packages"], key=lambda each: each["name"])
sys.stdout.write("# Written by bench/litellm/lock.py, which contains the commands.\n")
sys.stdout.writelines(entry(package) for package in packages)
