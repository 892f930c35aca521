import sys
from pathlib import Path

# The tests of detection and of tracking share the drawn board.
sys.path.insert(0, str(Path(__file__).parent))
