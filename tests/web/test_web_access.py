"""Who may watch and who may act: pages of other sites, rebound names, PINs."""

from __future__ import annotations

import errno
import json
import socket
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from focus_companion.commands.shared.serving import announce
from focus_companion.settings import load
from focus_companion.web.access import HttpError, PinGate, host_name, is_loopback
from focus_companion.web.app import create_app
from focus_companion.web.lan import lan_addresses, lan_host
from focus_companion.web.server import PageServer

LAN = {"REMOTE_ADDR": "192.168.1.77"}


@pytest.fixture
def lan_app(table) -> Flask:
    table.start()
    return create_app(table.session, table.journal, lan=True, pin="4821", hosts=["board.local"])


def act(client: FlaskClient, host: str = "localhost", remote: str = "127.0.0.1", **headers: str):
    return client.post(
        "/api/requests",
        json={"act": "pause"},
        headers={"Host": host, **{name.replace("_", "-"): value for name, value in headers.items()}},
        environ_overrides={"REMOTE_ADDR": remote},
    )


class Routed(socket.socket):
    """A socket of a machine whose network has addresses of both kinds."""

    def connect(self, address: object) -> None:
        pass

    def getsockname(self) -> tuple[str, int]:
        return ("192.168.1.20" if self.family == socket.AF_INET else "2001:db8::20"), 40_000


def test_only_addresses_that_the_page_listens_on_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("focus_companion.web.lan.socket.socket", Routed)
    assert lan_addresses(8000) == ["http://192.168.1.20:8000/"]
    assert lan_host() == "0.0.0.0"


@pytest.mark.parametrize(
    ("ip", "addresses", "host"),
    [("2001:db8::20", ["http://[2001:db8::20]:8000/"], "::"), ("fe80::20", [], "0.0.0.0")],
)
def test_in_a_network_without_ipv4_the_page_has_an_address_of_ipv6(
    monkeypatch: pytest.MonkeyPatch, ip: str, addresses: list[str], host: str
) -> None:
    class RoutedV6(Routed):
        def connect(self, address: object) -> None:
            if self.family == socket.AF_INET:
                raise OSError(errno.ENETUNREACH, "Network is unreachable")

        def getsockname(self) -> tuple[str, int]:
            return ip, 40_000

    monkeypatch.setattr("focus_companion.web.lan.socket.socket", RoutedV6)
    assert (lan_addresses(8000), lan_host()) == (addresses, host)


def test_the_page_of_a_network_without_ipv4_is_reached_by_both(table: Any) -> None:
    table.start()
    try:
        server = PageServer(create_app(table.session, table.journal, lan=True, pin="1234"), "::", 0)
    except OSError as error:
        pytest.skip(f"this machine has no IPv6: {error}")
    with server:
        for host in ("[::1]", "127.0.0.1"):
            address = f"http://{host}:{server.port}/api"
            with urllib.request.urlopen(f"{address}/state", timeout=60) as answer:
                assert json.load(answer)["game"] == 1
            act = urllib.request.Request(
                f"{address}/requests", b'{"act": "pause"}', {"Content-Type": "application/json"}
            )
            with table.looping(), urllib.request.urlopen(act, timeout=60) as answer:
                assert answer.status == 200, "the host needs no PIN"
    with pytest.raises(OSError, match="in use"), socket.create_server(("127.0.0.1", 0)) as taken:
        PageServer(create_app(table.session, table.journal), "::", taken.getsockname()[1])


def test_without_a_network_it_is_said_how_others_will_reach_the_page(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("focus_companion.web.lan.lan_ips", list)
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    announce(load({"lan": True}, environ), 8000)
    assert "From other machines: at port 8000" in capsys.readouterr().out
    announce(load({}, environ), 8000)
    assert "From other machines" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8000", "127.0.0.1:8000", "[::1]:8000", "LOCALHOST."]
)
def test_requests_to_our_own_names_are_answered(client: FlaskClient, host: str) -> None:
    assert client.get("/api/state", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "192.168.1.20", "board.local", "[", ""]
)
def test_requests_to_other_names_are_refused(client: FlaskClient, host: str) -> None:
    assert client.get("/api/state", headers={"Host": host}).status_code in (400, 421)


@pytest.mark.parametrize(
    ("host", "status"), [("192.168.1.20:8000", 200), ("board.local", 200), ("evil.example", 421)]
)
def test_on_the_lan_requests_to_addresses_and_given_names_are_answered(
    lan_app: Flask, host: str, status: int
) -> None:
    assert lan_app.test_client().get("/api/state", headers={"Host": host}).status_code == status


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:9999"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site", "Origin": "http://localhost"},
    ],
)
def test_acts_from_foreign_pages_are_refused(client: FlaskClient, headers: dict[str, str]) -> None:
    assert act(client, **headers).status_code == 403


def test_forms_cannot_act(client: FlaskClient) -> None:
    assert client.post("/api/requests", data={"act": "pause"}).status_code == 415
    assert client.post("/api/requests", data='{"act":"pause"}', content_type="text/plain").status_code == 415


def test_the_host_may_act_and_others_need_the_pin(lan_app: Flask) -> None:
    client = lan_app.test_client()
    assert act(client, Origin="http://localhost", Sec_Fetch_Site="same-origin").status_code in (200, 202)
    refused = act(client, host="192.168.1.20", remote="192.168.1.77")
    assert (refused.status_code, refused.json["pin"]) == (401, True)
    # Through a proxy on the host, every client seems to be local, but the name reveals the proxy.
    assert act(client, host="192.168.1.20", remote="127.0.0.1").status_code == 401


def test_the_pin_permits_this_browser_to_act(lan_app: Flask) -> None:
    client = lan_app.test_client()
    ask = {"headers": {"Host": "192.168.1.20"}, "environ_overrides": LAN}
    wrong = client.post("/api/pin", json={"pin": "0000"}, **ask)
    assert (wrong.status_code, wrong.json["pin"]) == (401, True)
    right = client.post("/api/pin", json={"pin": "4821"}, **ask)
    assert right.status_code == 200
    assert "HttpOnly" in right.headers["Set-Cookie"]
    assert "SameSite=Strict" in right.headers["Set-Cookie"]
    token = right.headers["Set-Cookie"].split(";")[0]
    assert act(client, host="192.168.1.20", remote="192.168.1.77", Cookie=token).status_code in (200, 202)


@pytest.mark.parametrize(("pin", "keypad"), [("4821", True), ("blue board", False)])
def test_a_pin_with_letters_can_be_typed_on_a_phone(table, pin: str, keypad: bool) -> None:
    table.start()
    client = create_app(table.session, table.journal, lan=True, pin=pin).test_client()
    for page in ("/dialogs/en", "/games"):
        assert ('inputmode="numeric"' in client.get(page).text.partition('id="pin"')[2]) is keypad


def test_a_pin_is_accepted_with_spaces_around_it(lan_app: Flask) -> None:
    ask = {"headers": {"Host": "192.168.1.20"}, "environ_overrides": LAN}
    assert lan_app.test_client().post("/api/pin", json={"pin": " 4821 "}, **ask).status_code == 200


def test_two_companions_on_one_machine_keep_their_cookies(table) -> None:
    """A browser sends the cookies of one port to the other, too."""
    table.start()
    client, tokens = None, []
    for port in (8000, 8001):
        app = create_app(table.session, table.journal, lan=True, pin="4821")
        browser = app.test_client(use_cookies=False)
        headers = {"Host": f"192.168.1.20:{port}"}
        right = browser.post("/api/pin", json={"pin": "4821"}, headers=headers, environ_overrides=LAN)
        tokens.append(right.headers["Set-Cookie"].split(";")[0])
        client = client or browser
    names = [token.partition("=")[0] for token in tokens]
    assert len(set(names)) == 2
    both = "; ".join(tokens)
    assert client is not None
    assert act(client, "192.168.1.20:8000", "192.168.1.77", Cookie=both).status_code in (200, 202)


def test_without_a_pin_the_lan_can_only_watch(table) -> None:
    table.start()
    client = create_app(table.session, table.journal, lan=True).test_client()
    assert act(client, host="192.168.1.20", remote="192.168.1.77").status_code == 403


def test_guessing_is_slowed_down_per_address() -> None:
    now = [0.0]
    gate = PinGate("4821", lambda: now[0])

    def tries(pin: str, address: str = "a") -> int:
        try:
            gate.enter(pin, address)
        except HttpError as refused:
            return int(refused.status)
        return 200

    assert [tries("1"), tries("2"), tries("3")] == [401, 401, 401]
    assert tries("4821") == 429, "even the right PIN has to wait"
    assert tries("4821", "b") == 200, "other addresses do not have to wait"
    now[0] += 2.1
    assert tries("4") == 401
    now[0] += 2.1
    assert tries("5") == 429, "each wrong PIN doubles the wait"
    now[0] += 2.1
    assert tries("4821") == 200


def test_guessing_from_many_addresses_is_bounded() -> None:
    now = [0.0]
    gate = PinGate("4821", lambda: now[0])
    statuses = []
    for number in range(200):
        try:
            gate.enter("0", f"10.0.0.{number}")
        except HttpError as refused:
            statuses.append(int(refused.status))
    assert statuses.count(401) == 30
    assert statuses.count(429) == 170


@pytest.mark.parametrize(
    ("header", "name"), [("a.b:80", "a.b"), ("[::1]:80", "::1"), ("A", "a"), ("[", ""), ("x.", "x"), ("", "")]
)
def test_the_host_name_is_parsed(header: str, name: str) -> None:
    assert host_name(header) == name


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("10.0.0.1", False),
        (None, False),
        ("x", False),
    ],
)
def test_loopback_addresses_are_recognised(address: str | None, local: bool) -> None:
    assert is_loopback(address) is local


@pytest.mark.parametrize("path", ["/", "/games", "/api/state", "/snapshot.jpg", "/nothing", "/api/nothing"])
def test_every_answer_is_guarded(client: FlaskClient, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("path", ["/", "/dialogs/en", "/games", "/nothing"])
def test_pages_have_no_inline_scripts_and_request_nothing_from_other_hosts(
    client: FlaskClient, path: str
) -> None:
    page = client.get(path).text
    assert " style=" not in page
    assert "<style" not in page
    assert " onclick" not in page
    # Inline data that is not executed is allowed in the page.
    data = page.count('<script type="application/json"')
    named = page.count("<script src=") + page.count('<script type="module" src=')
    assert page.count("<script") == named + data
    # Except for the example in the field for a camera's address.
    page = page.replace('placeholder="http://…  rtsp://…"', "")
    assert "//" not in page.replace("http://www.w3.org", "")
