"""One connection to a broker. A lost connection is not re-established: make a new one.

So nothing old is ever left in the client's queue; what has to be sent is read from the journal.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from .broker import BadBroker, Broker

KEEPALIVE_SECONDS: Final = 20
"""The broker notices a machine that lost power after one and a half times this interval."""

ANSWER_TIMEOUT: Final = 5.0
"""Seconds for the broker to answer."""

MAX_IN_FLIGHT: Final = 64
"""Number of messages that may be sent without having been confirmed."""


class LineDown(Exception):
    """The connection failed or was lost; the text is one line for people, with the remedy if there is one.

    ``refused``: the broker rejected us, so retrying soon is pointless.
    """

    def __init__(self, text: str, *, refused: bool = False) -> None:
        super().__init__(text)
        self.refused = refused


@dataclass(frozen=True)
class Message:
    """A received message: the topic, the bytes, and whether the broker had retained it."""

    topic: str
    payload: bytes
    retained: bool


@dataclass(frozen=True)
class Will:
    """What the broker publishes for us if we disappear without disconnecting."""

    topic: str
    payload: bytes


class Line:
    """An established connection.

    ``on_message`` and ``on_confirmed(mid, fault)`` are called on the connection's own thread, as is
    ``on_down``, once, when the connection is lost.

    Raises:
        LineDown: it could not be established.
    """

    def __init__(
        self,
        broker: Broker,
        name: str,
        *,
        on_message: Callable[[Message], None],
        on_confirmed: Callable[[int, str | None], None] = lambda mid, fault: None,
        on_down: Callable[[], None] = lambda: None,
        will: Will | None = None,
    ) -> None:
        self._broker = broker
        self._answered = threading.Event()
        self._refusal: str | None = None
        self._up = False
        self._down = threading.Event()
        self._on_down = on_down
        client = paho.Client(
            CallbackAPIVersion.VERSION2,
            client_id=name,
            protocol=MQTTProtocolVersion.MQTTv5,
            reconnect_on_failure=False,
        )
        client.connect_timeout = ANSWER_TIMEOUT
        client.max_inflight_messages_set(MAX_IN_FLIGHT)
        if broker.user:
            client.username_pw_set(broker.user, broker.password)
        if broker.tls:
            client.tls_set_context(_trust(broker))
        if will:
            client.will_set(will.topic, will.payload, qos=1, retain=True)
        client.on_connect = self._connected
        client.on_disconnect = self._disconnected
        client.on_message = lambda client, data, message: on_message(
            Message(message.topic, bytes(message.payload), bool(message.retain))
        )
        client.on_publish = lambda client, data, mid, reason, properties: on_confirmed(
            mid, str(reason) if reason.is_failure else None
        )
        client.on_subscribe = self._subscribed
        self._client = client
        self._connect()

    def _connect(self) -> None:
        where = self._broker.shown
        try:
            self._client.connect(self._broker.host, self._broker.port, KEEPALIVE_SECONDS, clean_start=True)
        except ssl.SSLCertVerificationError as error:
            raise LineDown(
                f"the certificate of {where} is not trusted ({error.verify_message}); "
                "give the CA that signed it as --mqtt-ca",
                refused=True,
            ) from None
        except ssl.SSLError as error:
            raise LineDown(f"{where} does not speak TLS ({error.reason or error})", refused=True) from None
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise LineDown(f"{where} cannot be reached ({why.lower()}); is the broker running?") from None
        self._client.loop_start()
        if not self._answered.wait(ANSWER_TIMEOUT):
            self.close()
            raise LineDown(f"{where} takes the connection and does not answer; is it an MQTT 5 broker?")
        if self._refusal is not None:
            self.close()
            raise LineDown(self._refusal, refused=True)

    @property
    def up(self) -> bool:
        """Whether the connection is up, as far as is known."""
        return self._up and not self._down.is_set()

    def check(self) -> None:
        """Raise :class:`LineDown` if it has been lost."""
        if not self.up:
            why = self._refusal or f"the connection to {self._broker.shown} is lost"
            raise LineDown(why, refused=self._refusal is not None)

    def publish(self, topic: str, payload: bytes, *, retain: bool = False, expiry: int | None = None) -> int:
        """Send with QoS 1; returns the id that ``on_confirmed`` gets. ``expiry``: seconds it is retained."""
        properties = None
        if expiry is not None:
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
            properties.MessageExpiryInterval = expiry
        sent = self._client.publish(topic, payload, qos=1, retain=retain, properties=properties)
        return int(sent.mid)

    def subscribe(self, *topics: str) -> None:
        """Subscribe to these topics; retained messages arrive first."""
        options = SubscribeOptions(qos=1)
        self._client.subscribe([(topic, options) for topic in topics])

    def unsubscribe(self, topic: str) -> None:
        self._client.unsubscribe(topic)

    def close(self) -> None:
        """Disconnect cleanly (the will is not published); may be called twice."""
        self._on_down = lambda: None
        self._client.disconnect()
        # If the client's thread is just ending by itself, paho may reset it while we are about to join it.
        with suppress(AttributeError):
            self._client.loop_stop()

    def _connected(self, client: Any, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            self._refusal = _refusal(self._broker, str(reason))
        else:
            self._up = True
        self._answered.set()

    def _disconnected(self, client: Any, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        self._down.set()
        if not self._answered.is_set():
            self._refusal = f"{self._broker.shown} closed the connection ({reason}); is it an MQTT 5 broker?"
            self._answered.set()
        self._on_down()

    def _subscribed(self, client: Any, data: Any, mid: int, reasons: Any, properties: Any) -> None:
        if any(reason.is_failure for reason in reasons):
            self._refusal = (
                f"{self._broker.shown} does not let us read our topics ({reasons[0]}); "
                "correct its access list"
            )
            self._down.set()
            self._on_down()


def _refusal(broker: Broker, reason: str) -> str:
    if reason in ("Bad user name or password", "Not authorized"):
        what = "mqtt://USER@HOST and the password in FOCUS_COMPANION_MQTT_PASSWORD"
        if broker.user is None:
            return f"{broker.shown} lets nobody in without a user; give {what}"
        return f"{broker.shown} does not accept the user {broker.user!r} with this password; check {what}"
    return f"{broker.shown} refuses the connection ({reason})"


def check_trust(broker: Broker) -> None:
    """Raise :class:`BadBroker` for an invalid CA certificate."""
    if broker.tls:
        _trust(broker)


def _trust(broker: Broker) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=str(broker.ca) if broker.ca else None)
    except (OSError, ssl.SSLError) as error:
        raise BadBroker(
            f"{broker.ca} is not a certificate (PEM): {getattr(error, 'reason', None) or error}", "mqtt_ca"
        ) from None
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
