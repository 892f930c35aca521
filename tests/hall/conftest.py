import sys
from pathlib import Path

# The broker, the wire and the tables of the publisher's tests, and the scripted sight of the session's.
sys.path[:0] = [str(Path(__file__).parents[1] / room) for room in ("mqtt", "session")]
