import sys
from pathlib import Path

# What the fuzzer tries is tried here as well, on the examples that it has kept.
sys.path.append(str(Path(__file__).parents[2]))
