import sys
from pathlib import Path

# drawn_board.py is shared by the tests of detection and of tracking.
sys.path.insert(0, str(Path(__file__).parent))
