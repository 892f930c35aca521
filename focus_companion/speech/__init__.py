"""What is said aloud: events and answers as short sentences for people who do not look at a screen.

Pure: an event and the session's state go in, a sentence comes out. Who speaks it, the browser or the host's
loudspeaker, is no matter here.
"""

from .answers import ABOUT, NoSuchQuestion, answer
from .narration import Utterance, narrate, opening
from .voice import Voice

__all__ = ["ABOUT", "NoSuchQuestion", "Utterance", "Voice", "answer", "narrate", "opening"]
