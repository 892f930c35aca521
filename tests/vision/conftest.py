import sys
from pathlib import Path

# The drawn board serves the tests of finding and of following a board.
sys.path.insert(0, str(Path(__file__).parent))
