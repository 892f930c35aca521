"""An arm that reaches over the board: rounded bones grown together into one surface, and its shadow."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ..vision.scene import Camera
from .look import Lighting, Look
from .sensor import Film
from .shading import linear, tint
from .stage import SEATS, TOWARDS, Hand

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]
Held = tuple[tuple[int, int, int, int], U8, F32]
"""Pieces in the hand as drawn: their rectangle, colours and coverage."""


@dataclass(frozen=True, slots=True)
class Bone:
    """A rounded cone between two points (3,) in mm; ``cloth`` for the sleeve."""

    a: F32
    b: F32
    ra: float
    rb: float
    cloth: bool = False


def bones(hand: Hand, seat_shift: float = 38.0) -> list[Bone]:
    """The arm's bones, from the sleeve to the finger tips."""
    tx, ty = TOWARDS[hand.seat]
    out, side, up = np.array([tx, ty, 0.0]), np.array([-ty, tx, 0.0]), np.array([0.0, 0.0, 1.0])
    lifted = max(len(hand.pieces) - 1, 0) * 7.4
    grip = np.array([hand.x, hand.y, hand.height + lifted + 9.0])
    lean = np.array([hand.x, hand.y, 0.0])
    right = float(lean @ side)
    # The elbow lies off the board towards the seat, a little to the player's right.
    elbow = out * max(430.0, float(lean @ out) + 270.0) + side * (right * 0.35 + seat_shift * 2) + up * 105
    away = elbow - grip
    away[2] = 0
    away /= float(np.linalg.norm(away))
    across = np.array([-away[1], away[0], 0.0])
    if float(across @ side) < 0:
        across = -across
    wrist = grip + away * 98 + up * 62
    spread = 1.0 + 0.5 * (1 - hand.closed)

    def v(p: NDArray[np.float64]) -> F32:
        return np.asarray(p, np.float32)

    fore = elbow - wrist
    cuff = wrist + fore * min(0.22, 70 / float(np.linalg.norm(fore)))
    parts = [
        Bone(v(cuff), v(elbow), 35, 47, True),
        Bone(v(elbow), v(elbow + out * 500 + side * 60 + up * 120), 48, 62, True),
        Bone(v(cuff), v(wrist + (cuff - wrist) * 0.75), 36.5, 36.5, True),
        Bone(v(cuff), v(wrist), 27, 23),
    ]
    for i, (offset, reach) in enumerate(((-27.0, 0.92), (-9.5, 1.0), (9.0, 0.97), (26.0, 0.84))):
        root = wrist - away * 14 + across * offset * 0.55 - up * 2
        knuckle = (
            grip
            + away * (34 - 6 * reach)
            + across * offset * 0.95
            + up * (52 + 6 * reach - abs(offset) * 0.12)
        )
        bend = grip - away * (13 * reach) + across * (offset * 0.72 * spread) + up * (37 + 5 * reach)
        tip = (
            grip
            - away * (19.5 * reach * spread - 2)
            + across * (offset * 0.42 * spread)
            + up * (3 + 4 * (i == 3))
        )
        middle = bend * 0.45 + tip * 0.55 - away * 6 * reach
        parts += [
            Bone(v(root), v(knuckle), 14.5, 11.5),
            Bone(v(knuckle), v(bend), 10.5, 9.2),
            Bone(v(bend), v(middle), 9.0, 8.4),
            Bone(v(middle), v(tip), 8.4, 7.2),
        ]
    thumb = wrist - away * 24 - across * 24 - up * 12
    joint = grip + away * 38 - across * 33 * spread + up * 26
    tip = grip + away * (17 * spread) - across * 9 + up * 4
    parts += [Bone(v(thumb), v(joint), 16, 11), Bone(v(joint), v(tip), 10.5, 8.5)]
    return parts


def _in_view(parts: list[Bone], camera: Camera, nearest: float = 90.0) -> list[Bone]:
    """The bones before the camera: an arm that passes under it ends ``nearest`` mm in front of the lens."""
    ahead = camera.rotation_matrix[2]
    kept = []
    for bone in parts:
        da, db = (float(ahead @ end) + camera.translation[2] for end in (bone.a, bone.b))
        if max(da, db) <= nearest:
            continue
        if min(da, db) < nearest:
            near, far = (bone.a, bone.b) if da < db else (bone.b, bone.a)
            rn, rf = (bone.ra, bone.rb) if da < db else (bone.rb, bone.ra)
            share = (max(da, db) - nearest) / abs(da - db)
            end = np.asarray(far + (near - far) * share, np.float32)
            bone = Bone(far, end, rf, rf + (rn - rf) * share, bone.cloth)
        kept.append(bone)
    return kept


@dataclass(frozen=True)
class _Relief:
    """The arm as a surface towards the camera: height in mm, coverage and cloth share, each (h, w), at
    (x0, y0)."""

    x0: int
    y0: int
    scale: float
    height: F32
    share: F32
    cloth: F32
    pixel: float
    """Millimetres a pixel at the hand."""


def _relief(parts: list[Bone], camera: Camera, scale: float) -> _Relief | None:
    lens = camera.lens
    parts = _in_view(parts, camera)
    if not parts:
        return None
    ends = np.array([(bone.a, bone.b) for bone in parts], np.float64).reshape(-1, 3)
    pixels = camera.project(ends).reshape(-1, 2, 2) * scale
    depth = (ends @ camera.rotation_matrix.T + np.array(camera.translation))[:, 2].reshape(-1, 2)
    radius = np.array([(bone.ra, bone.rb) for bone in parts]) * lens.focal * scale / depth
    w, h = int(lens.width * scale), int(lens.height * scale)
    low = np.floor((pixels - radius[..., None]).min((0, 1))).astype(int) - 3
    high = np.ceil((pixels + radius[..., None]).max((0, 1))).astype(int) + 4
    x0, y0, x1, y1 = max(low[0], 0), max(low[1], 0), min(high[0], w), min(high[1], h)
    if x1 <= x0 or y1 <= y0:
        return None
    height = np.full((y1 - y0, x1 - x0), -1e4, np.float32)
    share, cloth = np.zeros_like(height), np.zeros_like(height)
    pixel = float(np.median(depth)) / (lens.focal * scale)
    for bone, (pa, pb), (ra, rb), (da, db) in zip(parts, pixels, radius, depth, strict=True):
        bx0, by0 = np.maximum(np.floor(np.minimum(pa - ra, pb - rb)).astype(int) - 1, (x0, y0))
        bx1, by1 = np.minimum(np.ceil(np.maximum(pa + ra, pb + rb)).astype(int) + 2, (x1, y1))
        if bx1 <= bx0 or by1 <= by0:
            continue
        x = np.arange(bx0, bx1, dtype=np.float32)[None, :] - pa[0]
        y = np.arange(by0, by1, dtype=np.float32)[:, None] - pa[1]
        ax, ay = pb - pa
        t = np.clip((x * ax + y * ay) / max(float(ax * ax + ay * ay), 1e-6), 0, 1)
        away = np.hypot(x - t * ax, y - t * ay)
        r = ra + (rb - ra) * t
        if bone.cloth:
            r = r * (1 + 0.014 * np.sin(t * 23) + 0.008 * np.sin(t * 41 + 1))
        cover = np.clip(r - away + 0.5, 0, 1)
        rise = np.sqrt(np.clip(1 - (away / r) ** 2, 0, 1)) * (bone.ra + (bone.rb - bone.ra) * t)
        top = np.where(cover > 0, rise - (da + (db - da) * t), -1e4).astype(np.float32)
        crop = np.s_[by0 - y0 : by1 - y0, bx0 - x0 : bx1 - x0]
        here = height[crop]
        cloth[crop] = np.where((top > here) & (cover > 0), float(bone.cloth), cloth[crop])
        # A smooth maximum lets flesh grow together where bones meet.
        blend = 0.0 if bone.cloth else 5.0
        gap = np.clip(0.5 + (top - here) / (2 * blend), 0, 1) if blend else (top > here).astype(np.float32)
        height[crop] = here + (top - here) * gap + blend * gap * (1 - gap) * (here > -9e3) * (top > -9e3)
        np.maximum(share[crop], cover, out=share[crop])
    return _Relief(x0, y0, scale, height, share, cloth, pixel)


def draw_arm(
    picture: U8, hand: Hand, held: Held | None, look: Look, camera: Camera, lighting: Lighting, film: Film,
    detail: float,
) -> None:  # fmt: skip
    """Draws shadow, held pieces and arm on the picture (H, W, 3) in place."""
    parts = bones(hand)
    _shadow(picture, parts, hand, camera, lighting)
    # Pieces hang between the fingers: the far fingers lie behind them, the rest before.
    if held is not None:
        (x0, y0, x1, y1), colour, share = held
        below = picture[y0:y1, x0:x1]
        below[:] = (below + (colour.astype(np.float32) - below) * share).astype(np.uint8)
    relief = _relief(parts, camera, detail)
    if relief is None:
        return
    light = _lit(relief, hand, look, camera, lighting)
    scale = 1 / relief.scale
    h, w = relief.height.shape
    x0, y0 = round(relief.x0 * scale), round(relief.y0 * scale)
    size = (min(round(w * scale), picture.shape[1] - x0), min(round(h * scale), picture.shape[0] - y0))
    share = relief.share
    if scale != 1:
        light, share = cv2.resize(light, size), cv2.resize(share, size)
    below = picture[y0 : y0 + size[1], x0 : x0 + size[0]]
    arm = film.develop(light, (x0, y0))
    share8 = (share[: size[1], : size[0], None] * 256).astype(np.uint16)
    below[:] = ((arm[: size[1], : size[0]] * share8 + below * (256 - share8)) >> 8).astype(np.uint8)


def _lit(relief: _Relief, hand: Hand, look: Look, camera: Camera, lighting: Lighting) -> F32:
    """Light (h, w, 3) of the arm's surface."""
    inside = relief.share > 0
    floor = float(relief.height[inside].min()) if inside.any() else 0.0
    height = np.maximum(relief.height, floor - 20)
    smooth = cv2.GaussianBlur(height, (0, 0), max(0.6, 1.3 / relief.pixel))
    gx = cv2.Sobel(smooth, cv2.CV_32F, 1, 0, ksize=3, scale=0.125) / relief.pixel
    gy = cv2.Sobel(smooth, cv2.CV_32F, 0, 1, ksize=3, scale=0.125) / relief.pixel
    gx, gy = np.clip(gx, -3, 3), np.clip(gy, -3, 3)
    norm = np.sqrt(gx * gx + gy * gy + 1)
    # Hollows between fingers see less of the sky.
    hollow = np.clip((cv2.boxFilter(smooth, -1, (15, 15)) - smooth) / 9, 0, 0.55)
    seat = SEATS.index(hand.seat)
    skin, sleeve = linear(look.arms.skins[seat]), linear(look.arms.sleeves[seat])
    ruddy = (
        np.clip(np.exp(-(((relief.height - float(np.percentile(height[inside], 25))) / 24) ** 2)), 0, 1)
        if inside.any()
        else 0
    )
    albedo = skin * (
        1 - 0.16 * np.asarray(ruddy, np.float32)[..., None] * np.array([1.0, 0.9, 0.0], np.float32)
    )
    cloth = relief.cloth[..., None]
    albedo = albedo + (sleeve - albedo) * cloth
    rotation = camera.rotation_matrix
    up = rotation @ np.array([0, 0, 1.0])
    open_sky = 0.58 + 0.42 * (-gx * up[0] - gy * up[1] - up[2]) / norm
    # Light scatters under skin: its terminator is soft and reddish.
    total = lighting.ambient * tint(lighting.ambient_tint) * (open_sky * (1 - hollow))[..., None] * albedo
    place = np.array([hand.x, hand.y, hand.height + 60.0])
    wrap = np.array([0.08, 0.12, 0.28], np.float32) * (1 - cloth)
    for lamp in lighting.lamps:
        to = np.asarray(lamp.place) - place
        far = float(np.linalg.norm(to))
        ray = rotation @ (to / far)
        strength = lamp.strength * float(np.dot(lamp.place, lamp.place)) / far**2
        facing = ((-gx * ray[0] - gy * ray[1] - ray[2]) / norm)[..., None]
        lit = np.clip((facing + wrap) / (1 + wrap), 0, 1) * (1 - 0.7 * hollow[..., None])
        half = ray + np.array([0, 0, -1.0])
        half /= max(float(np.linalg.norm(half)), 1e-6)
        spark = np.clip((-gx * half[0] - gy * half[1] - half[2]) / norm, 0, 1)[..., None] ** 22
        total += strength * tint(lamp.tint) * (albedo * lit + 0.05 * spark * (1 - cloth))
    return np.asarray(total, np.float32)


def _shadow(picture: U8, parts: list[Bone], hand: Hand, camera: Camera, lighting: Lighting) -> None:
    """Darkens what lies in the arm's shadows, by the share of each lamp in the light."""
    step = 8
    small = (picture.shape[1] // step, picture.shape[0] // step)
    shade = np.ones((small[1], small[0]), np.float32)
    whole = lighting.ambient + sum(lamp.strength * 0.8 for lamp in lighting.lamps)
    casters = [(lamp.place, lamp.strength * 0.8 / whole, lamp.size) for lamp in lighting.lamps]
    casters.append(((0.0, 0.0, 900.0), 0.5 * lighting.ambient / whole, 700.0))
    for place, weight, size in casters:
        lamp = np.asarray(place)
        mask = np.zeros_like(shade)
        soft = 1.0
        for bone in parts:
            rim = []
            for end, radius in ((bone.a, bone.ra), (bone.b, bone.rb)):
                drop = float(end[2]) / max(float(lamp[2] - end[2]), 80.0)
                foot = end + (end - lamp) * drop
                soft = max(soft, size * drop * 0.3)
                angles = np.linspace(0, 2 * np.pi, 10, endpoint=False)
                grown = radius * (1 + drop)
                rim.append(
                    np.stack(
                        [foot[0] + grown * np.cos(angles), foot[1] + grown * np.sin(angles), np.zeros(10)], 1
                    )
                )
            feet = np.concatenate(rim)
            if float((feet @ camera.rotation_matrix[2]).min()) + camera.translation[2] < 60:
                continue  # falls behind the camera
            spot = camera.project(feet) / step
            cv2.fillConvexPoly(mask, cv2.convexHull(np.round(spot * 16).astype(np.int32)), 1.0, cv2.LINE_8, 4)
        pixels = soft * camera.lens.focal / float(np.linalg.norm(camera.place)) / step
        shade *= 1 - weight * cv2.GaussianBlur(mask, (0, 0), max(0.8, pixels))
    rows, columns = np.nonzero(shade.min(1) < 0.99)[0], np.nonzero(shade.min(0) < 0.99)[0]
    if not len(rows):
        return
    x0, x1 = max(columns[0] - 1, 0) * step, min(columns[-1] + 2, small[0]) * step
    y0, y1 = max(rows[0] - 1, 0) * step, min(rows[-1] + 2, small[1]) * step
    factor = np.clip(shade[y0 // step : y1 // step, x0 // step : x1 // step], 0, 1) ** (1 / 2.2) * 255
    wide = cv2.resize(factor, (x1 - x0, y1 - y0), interpolation=cv2.INTER_LINEAR).astype(np.uint8)
    crop = picture[y0:y1, x0:x1]
    cv2.multiply(crop, cv2.merge([wide, wide, wide]), dst=crop, scale=1 / 255)
