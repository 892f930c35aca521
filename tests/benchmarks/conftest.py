import sys
from pathlib import Path

# The benchmarks are a package of the checkout, not of what is installed.
sys.path.append(str(Path(__file__).parents[2]))
