"""Draws an arm over the board (rounded cones blended into one surface) and its shadow."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ..vision.geometry.scene import Camera
from .patches import Rect
from .scene_style import Lighting, SceneStyle
from .sensor import Film
from .shading import linear, tint
from .stage import SEAT_DIRECTIONS, SEATS, Hand

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]
Held = tuple[tuple[int, int, int, int], U8, F32]
"""Rendered pieces in the hand: their rectangle, colours and coverage."""

NEAR_CLIP = 90.0
"""Near clipping distance from the camera, in millimetres."""

SHADOW_NEAR_CLIP = 60
"""Near clipping distance of shadows from the camera, in millimetres."""

MIN_SHADOW = 0.99
"""Remaining light below which a pixel counts as shaded."""

EMPTY_HEIGHT = -1e4
"""Height of a relief where there is no surface, in millimetres."""


@dataclass(frozen=True, slots=True)
class Bone:
    """A rounded cone between two points (3,), with a radius at each, in mm; ``cloth``: part of a sleeve."""

    a: F32
    b: F32
    ra: float
    rb: float
    cloth: bool = False


def bones(hand: Hand) -> list[Bone]:
    """The bones of the arm, from the sleeve to the finger tips, or of the head."""
    if hand.head:
        return _head(hand)
    tx, ty = SEAT_DIRECTIONS[hand.seat]
    out, side, up = np.array([tx, ty, 0.0]), np.array([-ty, tx, 0.0]), np.array([0.0, 0.0, 1.0])
    lifted = max(len(hand.pieces) - 1, 0) * 7.4
    grip = np.array([hand.x, hand.y, hand.height + lifted + 9.0])
    lean = np.array([hand.x, hand.y, 0.0])
    right = float(lean @ side)
    # The elbow is off the board towards the seat, a little to the player's right.
    elbow = out * max(430.0, float(lean @ out) + 270.0) + side * (right * 0.35 + 76.0) + up * 105
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


def _head(hand: Hand) -> list[Bone]:
    """Hair, face, neck and shoulders of somebody leaning over the table from their seat."""
    tx, ty = SEAT_DIRECTIONS[hand.seat]
    out, side, up = np.array([tx, ty, 0.0]), np.array([-ty, tx, 0.0]), np.array([0.0, 0.0, 1.0])
    nose = np.array([hand.x, hand.y, hand.height + 70.0])

    def at(back: float, aside: float, above: float) -> F32:
        return np.asarray(nose + out * back + side * aside + up * above, np.float32)

    return [
        Bone(at(0, 0, 0), at(60, 0, 10), 66, 74),
        Bone(at(25, 0, 42), at(85, 0, 40), 76, 80, True),
        Bone(at(100, 0, -10), at(190, 0, -40), 55, 60),
        Bone(at(230, -150, -90), at(230, 150, -90), 85, 85, True),
        Bone(at(230, 0, -90), at(520, 0, -160), 150, 170, True),
    ]


def _in_view(parts: list[Bone], camera: Camera) -> list[Bone]:
    """The bones in front of the camera, clipped at :data:`NEAR_CLIP`: an arm may reach behind the camera."""
    ahead = camera.rotation_matrix[2]
    kept = []
    for bone in parts:
        da, db = (float(ahead @ end) + camera.translation[2] for end in (bone.a, bone.b))
        if max(da, db) <= NEAR_CLIP:
            continue
        if min(da, db) < NEAR_CLIP:
            near, far = (bone.a, bone.b) if da < db else (bone.b, bone.a)
            rn, rf = (bone.ra, bone.rb) if da < db else (bone.rb, bone.ra)
            share = (max(da, db) - NEAR_CLIP) / abs(da - db)
            end = np.asarray(far + (near - far) * share, np.float32)
            bone = Bone(far, end, rf, rf + (rn - rf) * share, bone.cloth)
        kept.append(bone)
    return kept


@dataclass(frozen=True)
class _Relief:
    """The arm as a surface, with its top left pixel at (x0, y0): height in mm towards the camera, coverage,
    and share of cloth, (h, w) each.
    """

    x0: int
    y0: int
    scale: float
    height: F32
    share: F32
    cloth: F32
    pixel: float
    """Millimetres per pixel at the hand."""


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
    height = np.full((y1 - y0, x1 - x0), EMPTY_HEIGHT, np.float32)
    share, cloth = np.zeros_like(height), np.zeros_like(height)
    pixel = float(np.median(depth)) / (lens.focal * scale)
    for bone, (pa, pb), radii, depths in zip(parts, pixels, radius, depth, strict=True):
        # Python floats keep arrays in single precision.
        (ra, rb), (da, db) = radii.tolist(), depths.tolist()
        bx0, by0 = np.maximum(np.floor(np.minimum(pa - ra, pb - rb)).astype(int) - 1, (x0, y0))
        bx1, by1 = np.minimum(np.ceil(np.maximum(pa + ra, pb + rb)).astype(int) + 2, (x1, y1))
        if bx1 <= bx0 or by1 <= by0:
            continue
        x = np.arange(bx0, bx1, dtype=np.float32)[None, :] - float(pa[0])
        y = np.arange(by0, by1, dtype=np.float32)[:, None] - float(pa[1])
        ax, ay = (pb - pa).tolist()
        t = np.clip((x * ax + y * ay) / max(float(ax * ax + ay * ay), 1e-6), 0, 1)
        away = cv2.magnitude(x - t * ax, y - t * ay)
        r = ra + (rb - ra) * t
        if bone.cloth:
            r = r * (1 + 0.014 * np.sin(t * 23) + 0.008 * np.sin(t * 41 + 1))
        cover = np.clip(r - away + 0.5, 0, 1)
        rise = np.sqrt(np.clip(1 - (away / r) ** 2, 0, 1)) * (bone.ra + (bone.rb - bone.ra) * t)
        top = np.where(cover > 0, rise - (da + (db - da) * t), EMPTY_HEIGHT).astype(np.float32)
        crop = np.s_[by0 - y0 : by1 - y0, bx0 - x0 : bx1 - x0]
        here = height[crop]
        cloth[crop] = np.where((top > here) & (cover > 0), float(bone.cloth), cloth[crop])
        # A smooth maximum blends the bones where they meet.
        blend = 0.0 if bone.cloth else 5.0
        gap = np.clip(0.5 + (top - here) / (2 * blend), 0, 1) if blend else (top > here).astype(np.float32)
        height[crop] = here + (top - here) * gap + blend * gap * (1 - gap) * (here > -9e3) * (top > -9e3)
        np.maximum(share[crop], cover, out=share[crop])
    return _Relief(x0, y0, scale, height, share, cloth, pixel)


def draw_arm(
    picture: U8, hand: Hand, held: Held | None, look: SceneStyle, camera: Camera, lighting: Lighting,
    film: Film, detail: float,
) -> Rect:  # fmt: skip
    """Draws shadow, held pieces and arm on the picture (H, W, 3) in place; returns the part changed."""
    parts = bones(hand)
    changed = [_shadow(picture, parts, camera, lighting)]
    # Held pieces are drawn before the arm, so the fingers are in front of them.
    if held is not None:
        (x0, y0, x1, y1), colour, share = held
        below = picture[y0:y1, x0:x1]
        below[:] = (below + (colour.astype(np.float32) - below) * share).astype(np.uint8)
        changed.append(held[0])
    relief = _relief(parts, camera, detail)
    if relief is not None:
        changed.append(_blend(picture, relief, _lit(relief, hand, look, camera, lighting, film)))
    full = np.array([rect for rect in changed if rect[2] > rect[0]] or [(0, 0, 0, 0)])
    (x0, y0), (x1, y1) = full[:, :2].min(0).tolist(), full[:, 2:].max(0).tolist()
    return x0, y0, x1, y1


def _blend(picture: U8, relief: _Relief, arm: U8) -> Rect:
    """Blends the arm's pixels (h, w, 3) into the picture according to coverage; returns the part changed."""
    scale = 1 / relief.scale
    h, w = relief.height.shape
    x0, y0 = round(relief.x0 * scale), round(relief.y0 * scale)
    x1 = min(x0 + round(w * scale), picture.shape[1])
    y1 = min(y0 + round(h * scale), picture.shape[0])
    share = (relief.share * 255 + 0.5).astype(np.uint8)
    if scale != 1:
        arm, share = (np.asarray(cv2.resize(layer, (x1 - x0, y1 - y0)), np.uint8) for layer in (arm, share))
    below = picture[y0:y1, x0:x1]
    arm, share = arm[: y1 - y0, : x1 - x0], share[: y1 - y0, : x1 - x0]
    rim = np.nonzero(cv2.inRange(share, 1, 254))
    part = share[rim][:, None].astype(np.uint16)
    mixed = (arm[rim] * part + below[rim] * (255 - part) + 127) // 255
    cv2.copyTo(arm, cv2.compare(share, 255, cv2.CMP_EQ), below)
    below[rim] = mixed.astype(np.uint8)
    return x0, y0, x1, y1


def _lit(relief: _Relief, hand: Hand, look: SceneStyle, camera: Camera, lighting: Lighting, film: Film) -> U8:
    """Pixels (h, w, 3) of the lit surface of the arm; black outside it."""
    picture = np.zeros((*relief.height.shape, 3), np.uint8)
    inside = relief.share > 0
    if not inside.any():
        return picture
    heights = relief.height[inside]
    height = np.maximum(relief.height, float(heights.min()) - 20)
    smooth = cv2.GaussianBlur(height, (0, 0), max(0.6, 1.3 / relief.pixel))
    slope = 0.125 / relief.pixel
    # The pixels of the surface, and of a rim that is visible if the arm is drawn coarsely.
    y, x = np.nonzero(cv2.dilate(inside.astype(np.uint8), np.ones((5, 5), np.uint8)))
    gx = np.clip(cv2.Sobel(smooth, cv2.CV_32F, 1, 0, ksize=3, scale=slope)[y, x], -3, 3)
    gy = np.clip(cv2.Sobel(smooth, cv2.CV_32F, 0, 1, ksize=3, scale=slope)[y, x], -3, 3)
    norm = np.sqrt(gx * gx + gy * gy + 1)
    # Hollows between fingers see less of the sky.
    hollow = np.clip((cv2.boxFilter(smooth, -1, (15, 15))[y, x] - smooth[y, x]) / 9, 0, 0.55)
    cloth = relief.cloth[y, x]
    ruddy = np.exp(-(((relief.height[y, x] - float(np.percentile(heights[::5], 25))) / 24) ** 2))
    rotation = camera.rotation_matrix

    def facing(ray: NDArray[np.float64]) -> F32:
        rx, ry, rz = ray.tolist()
        return np.asarray((gx * -rx - gy * ry - rz) / norm, np.float32)

    sky = (0.58 + 0.42 * facing(rotation @ np.array([0, 0, 1.0]))) * (1 - hollow)
    place = np.array([hand.x, hand.y, hand.height + 60.0])
    lamps = []
    for lamp in lighting.lamps:
        to = np.asarray(lamp.place) - place
        far = float(np.linalg.norm(to))
        ray = rotation @ (to / far)
        half = ray + np.array([0, 0, -1.0])
        half /= max(float(np.linalg.norm(half)), 1e-6)
        spark = cv2.pow(np.clip(facing(half), 0, 1), 22).ravel() * (1 - cloth) * 0.05
        strength = lamp.strength * float(np.dot(lamp.place, lamp.place)) / far**2
        lamps.append((tint(lamp.tint) * strength, facing(ray), spark))
    seat = SEATS.index(hand.seat)
    skin, sleeve = linear(look.arms.skins[seat]), linear(look.arms.sleeves[seat])
    ambient = lighting.ambient * tint(lighting.ambient_tint)
    light = np.empty((len(x), 3), np.float32)
    # Light scatters under the skin, so the edge of its shaded side is soft and reddish.
    for channel, (flush, soft) in enumerate(((1.0, 0.08), (0.9, 0.12), (0.0, 0.28))):
        albedo = float(skin[channel]) * (1 - 0.16 * flush * ruddy)
        albedo += (float(sleeve[channel]) - albedo) * cloth
        total = float(ambient[channel]) * sky * albedo
        wrap = soft * (1 - cloth)
        for strengths, faced, spark in lamps:
            lit = np.clip((faced + wrap) / (1 + wrap), 0, 1) * (1 - 0.7 * hollow)
            total += float(strengths[channel]) * (albedo * lit + spark)
        light[:, channel] = total
    scale = 1 / relief.scale
    column = np.minimum(((x + relief.x0) * scale).astype(int), look.size[0] - 1)
    row = np.minimum(((y + relief.y0) * scale).astype(int), look.size[1] - 1)
    picture[y, x] = film.develop_some(light, column, row)
    return picture


def _shadow(picture: U8, parts: list[Bone], camera: Camera, lighting: Lighting) -> Rect:
    """Darkens the arm's shadows by each lamp's share of the light; returns the part changed."""
    step = 8
    small = (picture.shape[1] // step, picture.shape[0] // step)
    shade = np.ones((small[1], small[0]), np.float32)
    whole = lighting.ambient + sum(lamp.strength * 0.8 for lamp in lighting.lamps)
    casters = [(lamp.place, lamp.strength * 0.8 / whole, lamp.size) for lamp in lighting.lamps]
    casters.append(((0.0, 0.0, 900.0), 0.5 * lighting.ambient / whole, 700.0))
    ends = np.array([(bone.a, bone.b) for bone in parts], np.float64)
    radii = np.array([(bone.ra, bone.rb) for bone in parts])
    angles = np.linspace(0, 2 * np.pi, 10, endpoint=False)
    rim = np.stack([np.cos(angles), np.sin(angles), np.zeros(10)], 1)
    for place, weight, size in casters:
        lamp = np.asarray(place)
        mask = np.zeros_like(shade)
        drop = ends[..., 2] / np.maximum(lamp[2] - ends[..., 2], 80.0)
        soft = max(1.0, size * float(drop.max()) * 0.3)
        foot = ends + (ends - lamp) * drop[..., None]
        foot[..., 2] = 0
        feet = foot[:, :, None] + (radii * (1 + drop))[..., None, None] * rim
        feet = feet.reshape(len(parts), -1, 3)
        # Points behind the camera are not visible.
        ahead = (feet @ camera.rotation_matrix[2]).min(1) + camera.translation[2] >= SHADOW_NEAR_CLIP
        if ahead.any():
            spots = camera.project(feet[ahead].reshape(-1, 3)).reshape(-1, feet.shape[1], 2) / step
            for spot in np.round(spots * 16).astype(np.int32):
                cv2.fillConvexPoly(mask, cv2.convexHull(spot), 1.0, cv2.LINE_8, 4)
        pixels = soft * camera.lens.focal / float(np.linalg.norm(camera.centre)) / step
        shade *= 1 - weight * cv2.GaussianBlur(mask, (0, 0), max(0.8, pixels))
    shaded = shade.min(1) < MIN_SHADOW, shade.min(0) < MIN_SHADOW
    rows, columns = np.nonzero(shaded[0])[0], np.nonzero(shaded[1])[0]
    if not len(rows):
        return 0, 0, 0, 0
    x0, x1 = max(int(columns[0]) - 1, 0) * step, min(int(columns[-1]) + 2, small[0]) * step
    y0, y1 = max(int(rows[0]) - 1, 0) * step, min(int(rows[-1]) + 2, small[1]) * step
    factor = np.clip(shade[y0 // step : y1 // step, x0 // step : x1 // step], 0, 1) ** (1 / 2.2) * 255
    wide = cv2.resize(factor, (x1 - x0, y1 - y0), interpolation=cv2.INTER_LINEAR).astype(np.uint8)
    crop = picture[y0:y1, x0:x1]
    cv2.multiply(crop, cv2.merge([wide, wide, wide]), dst=crop, scale=1 / 255)
    return x0, y0, x1, y1
