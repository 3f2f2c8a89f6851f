"""
Packs the wheel with Python's standard library alone. The same sources give the same bytes: files are in order, have one
date, and are not compressed, since compressors of different machines differ. `python3 scripts/wheel.py [folder]` prints
where it is; pip finds the same by `pyproject.toml`.
"""
from __future__ import annotations

import base64
import hashlib
import re
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

root = Path(__file__).resolve().parent.parent
# The earliest time in a zip file.
date = (1980, 1, 1, 0, 0, 0)


def build_wheel(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    """Writes the wheel into the folder, and answers its name (PEP 517)."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    version = _version()
    # In names of files a hyphen ends the name.
    distribution = project["name"].replace("-", "_")
    info = f"{distribution}-{version}.dist-info"
    files = {f"coffer/{path.name}": path.read_bytes() for path in _sources()}
    files |= {
        f"{info}/LICENSE": (root / "LICENSE").read_bytes(),
        f"{info}/METADATA": _metadata(project, version).encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: coffer\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = f"{info}/RECORD"
    files[record] = "".join([*(_row(name, files[name]) for name in sorted(files)), f"{record},,\n"]).encode()
    name = f"{distribution}-{version}-py3-none-any.whl"
    folder = Path(wheel_directory)
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_STORED) as wheel:
        for member, content in sorted(files.items(), key=lambda file: (file[0].startswith(info), file[0])):
            entry = zipfile.ZipInfo(member, date)
            # A regular Unix file with mode 644.
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            wheel.writestr(entry, content)
    return name


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """The wheel is made from the repository alone."""
    raise NotImplementedError("only a wheel is made: python3 scripts/wheel.py")


def _sources() -> list[Path]:
    return [path for path in sorted((root / "coffer").iterdir()) if path.suffix == ".py" or path.name == "py.typed"]


def _version() -> str:
    found = re.search(r'^version = "([^"]+)"$', (root / "coffer" / "_version.py").read_text("utf-8"), re.MULTILINE)
    if found is None:
        raise SystemExit("coffer/_version.py: expected version = \"…\"")
    return found[1]


def _metadata(project: dict[str, Any], version: str) -> str:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {version}",
        f"Summary: {project['description']}",
        f"License: {project['license']['text']}",
        *(f"Classifier: {each}" for each in project["classifiers"]),
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {each}" for each in project["dependencies"]),
        "Description-Content-Type: text/markdown",
    ]
    readme = (root / "README.md").read_text("utf-8")
    return "\n".join([*lines, "", readme])


def _row(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    return f"{name},sha256={digest},{len(content)}\n"


if __name__ == "__main__":
    target = sys.argv[1] if len(sys.argv) > 1 else str(root / "dist")
    print(Path(target) / build_wheel(target))
