import sys
from pathlib import Path

# The scripted sight from tests/session plays the games here, too.
sys.path.insert(0, str(Path(__file__).parents[1] / "session"))
