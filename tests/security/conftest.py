import sys
from pathlib import Path

# The fuzzer's targets also run here, on the examples of its corpus.
sys.path.append(str(Path(__file__).parents[2]))
