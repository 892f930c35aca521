import sys
from pathlib import Path

# The benchmarks are a package in the checkout, but are not installed.
sys.path.append(str(Path(__file__).parents[2]))
