"""What the nats of a picture are worth."""

from ..vision.appearance.evidence import TEMPERATURE as TEMPERATURE
