import sys
from pathlib import Path

# The simulated table serves all tests of the referee.
sys.path.insert(0, str(Path(__file__).parent))
