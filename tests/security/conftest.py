import sys
from pathlib import Path

# What the fuzzer tries is tried here as well, on the examples that it has kept.
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
