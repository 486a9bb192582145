"""The machine and the versions behind a measurement. Importing this module sets the number of threads."""

import os
import platform
import subprocess
import time
from importlib import metadata
from pathlib import Path

THREADS = 2
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = str(THREADS)

QUIET = 0.05
BUSY = ": the machine was too busy, so do not quote these figures (programs with spinning threads are slowed down most)"

PACKAGES = (
    "priorcase",
    "numpy",
    "scipy",
    "scikit-learn",
    "pandas",
    "faiss-cpu",
    "imbalanced-learn",
    "river",
    "scikit-misc",
)


def _clocks() -> tuple[float, float]:
    """Return the CPU seconds used by all processes since the machine started, and by this process and its children."""
    try:
        fields = [int(field) for field in Path("/proc/stat").read_text(encoding="ascii").split("\n")[0].split()[1:8]]
    except OSError:
        return 0.0, 0.0
    idle = fields[3] + fields[4]
    return (sum(fields) - idle) / os.sysconf("SC_CLK_TCK"), sum(os.times()[:4])


_START = time.perf_counter()
_BUSY_THEN, _OWN_THEN = _clocks()


def describe() -> list[str]:
    """Return lines with the processor, the number of threads, the CPU use of other programs, and all versions."""
    versions = [f"{name} {_version(name)}" for name in PACKAGES]
    busy, own = _clocks()
    available = (time.perf_counter() - _START) * (os.cpu_count() or 1)
    others = max(0.0, (busy - _BUSY_THEN) - (own - _OWN_THEN)) / available
    versions += [_first_line(["timbl", "--version"], "compiled"), _weka(), _first_line(["java", "--version"], "")]
    return [
        f"CPU: {_cpu()}, {os.cpu_count()} cores; {THREADS} threads each",
        f"Other programs used {others:.0%} of the CPU during the run" + (BUSY if others > QUIET else ""),
        f"Python {platform.python_version()}; " + "; ".join(versions),
    ]


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "absent"


def _cpu() -> str:
    """Return the name of the CPU, which virtual machines often hide, with its family, model number and instructions."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    fields = dict(part.split(":", 1) for part in text.split("\n\n")[0].splitlines() if ":" in part)
    fields = {key.strip(): value.strip() for key, value in fields.items()}
    flags = fields.get("flags", "").split()
    widest = next((name for name in ("avx512vbmi", "avx512f", "avx2", "sse4_1") if name in flags), platform.machine())
    return (
        f"{fields.get('model name', platform.machine())} "
        f"(family {fields.get('cpu family', '?')}, model {fields.get('model', '?')}, {widest})"
    )


def _first_line(command: list[str], containing: str) -> str:
    try:
        output = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except FileNotFoundError:
        return f"{command[0]} absent"
    lines = (output.stdout + output.stderr).splitlines()
    return next((line.split(", compiled")[0].strip() for line in lines if containing in line), command[0])


def _weka() -> str:
    from benchmarks.peers.weka import JAR

    return JAR.resolve().stem.replace("-", " ") if JAR.exists() else "weka absent"
