"""The page with which a phone becomes the camera: who may send pictures, and with which certificate."""

from __future__ import annotations

import datetime
import http.client
import json
import socket
import ssl
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from cryptography import x509
from flask import Flask
from flask.testing import FlaskClient

from focus_companion.vision.capture.phone import MAX_BYTES, MAX_RATE, PhoneCamera
from focus_companion.web.app import create_app
from focus_companion.web.phone.app import TOKEN_HEADER, create_phone_app
from focus_companion.web.phone.certificate import FILE_NAME, certificate
from focus_companion.web.phone.holder import Holder
from focus_companion.web.phone.server import PhoneServer

JPEG = cv2.imencode(".jpg", np.full((240, 320, 3), 90, np.uint8))[1].tobytes()
NAMES = ["localhost", "127.0.0.1", "board.local"]
NOW = datetime.datetime(2026, 11, 20, tzinfo=datetime.UTC)


@pytest.fixture
def camera() -> PhoneCamera:
    return PhoneCamera()


@pytest.fixture
def holder() -> Holder:
    return Holder()


@pytest.fixture
def phone_app(camera: PhoneCamera, holder: Holder) -> Flask:
    return create_phone_app(camera, holder, hosts=["board.local"])


@pytest.fixture
def phone(phone_app: Flask) -> FlaskClient:
    return phone_app.test_client()


def enter(client: FlaskClient, word: str) -> Any:
    return client.post("/api/phone", json={"word": word})


def token_of(client: FlaskClient, holder: Holder) -> str:
    return str(enter(client, holder.word).json["token"])


def send(client: FlaskClient, token: str, number: int = 1, data: bytes = JPEG, **headers: str) -> int:
    headers = {TOKEN_HEADER: token, "Content-Type": "image/jpeg"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    return client.post(f"/api/phone/picture?n={number}", data=data, headers=headers).status_code


def test_pictures_of_a_phone_that_knows_the_word_are_accepted(
    phone: FlaskClient, camera: PhoneCamera, holder: Holder
) -> None:
    token = token_of(phone, holder)
    assert send(phone, token) == 204
    assert camera.take(0) == (JPEG, (320, 240))
    # That a picture comes late is not an error of the phone.
    assert send(phone, token, 0) == 204 and camera.take(0) is None


def test_without_the_word_no_phone_becomes_the_camera(
    phone: FlaskClient, camera: PhoneCamera, holder: Holder
) -> None:
    for word in ("", "wrong", holder.word[:-1], holder.word + "x"):
        assert enter(phone, word).status_code == 403
    for body in ({}, {"word": 7}, {"word": "x" * 101}, ["word"]):
        assert phone.post("/api/phone", json=body).status_code == 400
    assert send(phone, "") == 401 and send(phone, "guessed") == 401
    token_of(phone, holder)
    assert send(phone, "guessed") == 409
    assert camera.take(0) is None


def test_a_second_phone_can_take_over_only_with_the_word(
    phone: FlaskClient, camera: PhoneCamera, holder: Holder
) -> None:
    first = token_of(phone, holder)
    assert send(phone, first, 50) == 204
    assert enter(phone, "wrong").status_code == 403
    assert send(phone, first, 51) == 204
    second = token_of(phone, holder)
    assert send(phone, first, 52) == 409
    # Its pictures are numbered from the beginning again.
    assert send(phone, second, 1) == 204


@pytest.mark.parametrize("data", [b"", b"garbage", JPEG[:50]])
def test_garbage_is_not_a_picture(
    phone: FlaskClient, camera: PhoneCamera, holder: Holder, data: bytes
) -> None:
    assert send(phone, token_of(phone, holder), data=data) == 415
    assert camera.take(0) is None


def test_too_much_and_too_many_are_refused(phone: FlaskClient, holder: Holder) -> None:
    token = token_of(phone, holder)
    assert send(phone, token, data=JPEG + bytes(MAX_BYTES)) == 413
    took = [send(phone, token, number) for number in range(3 * MAX_RATE)]
    assert took[:MAX_RATE] == [204] * MAX_RATE and 429 in took


@pytest.mark.parametrize("number", ["", "-1", "1.5", "x", "9" * 16, "٣"])
def test_pictures_need_a_valid_number(phone: FlaskClient, holder: Holder, number: str) -> None:
    headers = {TOKEN_HEADER: token_of(phone, holder), "Content-Type": "image/jpeg"}
    answer = phone.post("/api/phone/picture", query_string={"n": number}, data=JPEG, headers=headers)
    assert answer.status_code == 400


def test_a_page_of_another_site_cannot_send_pictures(phone: FlaskClient, holder: Holder) -> None:
    token = token_of(phone, holder)
    assert send(phone, token, Origin="https://evil.example") == 403
    assert send(phone, token, Sec_Fetch_Site="cross-site") == 403
    assert send(phone, token, Host="evil.example") == 421
    assert send(phone, token, Content_Type="text/plain") == 415
    answer = phone.post("/api/phone", json={"word": holder.word}, headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403


def test_the_page_may_use_the_camera_and_nothing_else(phone: FlaskClient, holder: Holder) -> None:
    answer = phone.get("/")
    assert answer.status_code == 200 and holder.word not in answer.text
    assert "<script>" not in answer.text and "style=" not in answer.text
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'") and "unsafe" not in policy
    assert answer.headers["Permissions-Policy"] == "camera=('self'), microphone=(), geolocation=()".replace(
        "'", ""
    )
    for path in ("/api/state", "/snapshot.jpg", "/api/requests", "/api/games"):
        assert phone.get(path).status_code == 404


def test_the_pages_address_with_the_word_is_shown_only_to_those_who_may_act(table: Any) -> None:
    link = "https://192.168.1.20:8001/#secret-word"
    app = create_app(table.session, table.journal, lan=True, pin="4821", phone=link)
    host = app.test_client()
    assert link in host.get("/").text and host.get("/phone.svg").mimetype == "image/svg+xml"
    for path in ("/", "/phone.svg", "/api/state"):
        watcher = host.get(path, environ_overrides={"REMOTE_ADDR": "192.168.1.77"})
        assert "secret-word" not in watcher.text
    assert host.get("/phone.svg", environ_overrides={"REMOTE_ADDR": "192.168.1.77"}).status_code == 401
    assert create_app(table.session).test_client().get("/phone.svg").status_code == 404


def loaded(path: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(path.read_bytes())


def test_the_certificate_is_kept_and_readable_only_by_its_owner(tmp_path: Path) -> None:
    path = certificate(tmp_path / "data", NAMES, NOW)
    assert path == tmp_path / "data" / FILE_NAME and path.stat().st_mode & 0o777 == 0o600
    before = path.read_bytes()
    assert certificate(tmp_path / "data", NAMES[:2], NOW).read_bytes() == before
    names = loaded(path).extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["board.local", "localhost"]
    assert [str(ip) for ip in names.get_values_for_type(x509.IPAddress)] == ["127.0.0.1"]
    # Phones accept no certificate that is valid for longer.
    span = loaded(path).not_valid_after_utc - loaded(path).not_valid_before_utc
    assert span <= datetime.timedelta(days=398)


def test_an_unusable_certificate_is_replaced(tmp_path: Path) -> None:
    path = certificate(tmp_path, NAMES, NOW)
    first = path.read_bytes()
    assert certificate(tmp_path, [*NAMES, "192.168.1.20"], NOW).read_bytes() != first
    second = path.read_bytes()
    certificate(tmp_path, NAMES, NOW + datetime.timedelta(days=360))
    assert path.read_bytes() == second
    certificate(tmp_path, NAMES, NOW + datetime.timedelta(days=370))
    assert path.read_bytes() != second
    for spoilt in (b"", b"garbage", second[: len(second) // 2]):
        path.write_bytes(spoilt)
        assert loaded(certificate(tmp_path, NAMES, NOW))
    third = path.read_bytes()
    path.chmod(0o644)
    # A file that others could read is no longer secret.
    assert certificate(tmp_path, NAMES, NOW).read_bytes() != third
    assert path.stat().st_mode & 0o777 == 0o600


def test_one_connection_carries_many_pictures_and_idle_ones_block_nobody(
    tmp_path: Path, phone_app: Flask, camera: PhoneCamera, holder: Holder
) -> None:
    file = certificate(tmp_path, NAMES)
    with PhoneServer(phone_app, file, host="127.0.0.1") as server:
        silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(10)]
        began = time.monotonic()
        trusting = ssl.create_default_context(cafile=str(file))
        line = http.client.HTTPSConnection("127.0.0.1", server.port, context=trusting, timeout=10)
        line.request(
            "POST", "/api/phone", json.dumps({"word": holder.word}), {"Content-Type": "application/json"}
        )
        token = json.load(line.getresponse())["token"]
        kept = line.sock
        for number in range(10):
            headers = {"Content-Type": "image/jpeg", TOKEN_HEADER: token}
            line.request("POST", f"/api/phone/picture?n={number}", JPEG, headers)
            answer = line.getresponse()
            assert answer.status == 204 and answer.read() == b""
        assert line.sock is kept and kept is not None
        assert time.monotonic() - began < 5
        assert camera.take(0) is not None
        line.close()
        for one in silent:
            one.close()
