// The phone as the camera: sends its newest picture to the companion, one at a time, while the page is open.

import { keepScreenOn } from "../lib/screen.js";
import { loadTexts, t } from "../lib/texts.js";

const MIN_INTERVAL_MS = 66; // minimum interval between two pictures: 15 a second
const REQUEST_TIMEOUT_MS = 5000; // timeout of a request
const PICTURE_TIMEOUT_MS = 2000; // timeout for the camera's next picture
const MAX_RETRY_DELAY_MS = 4000; // maximum delay between two attempts to reach the companion
const MAX_PICTURE_SIDE = 1280; // pixels
const JPEG_QUALITY = 0.85;
const CAMERA_CONSTRAINTS = { audio: false, video: { facingMode: { ideal: "environment" }, width: { ideal: 1280 }, height: { ideal: 960 } } };

await loadTexts(document.body.dataset.texts);

const $ = (name) => document.querySelector(name);
const [view, line, start, torch] = ["#view", "#line", "#start", "#torch"].map($);
const canvas = document.createElement("canvas");
const pen = canvas.getContext("2d", { alpha: false });
// Choosing a language reloads the page without the fragment; the camera then goes on.
const word = location.hash.slice(1) || sessionStorage.getItem("word") || "";
sessionStorage.setItem("word", word);

let running = false;
let track = null;
let token = "";
let number = 0;

/** A fault that only a person can remedy: sending stops and the button reappears. */
class Stopped extends Error {}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

function say(kind, text) {
  if (line.dataset.line === kind && line.textContent === text) return;
  line.dataset.line = kind;
  line.textContent = text;
}

async function openCamera() {
  track?.stop();
  track = null;
  if (!navigator.mediaDevices) throw new Stopped(t("This browser gives pages no access to the camera. Try Chrome or Safari, with the https address."));
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia(CAMERA_CONSTRAINTS);
  } catch (problem) {
    if (problem.name === "NotAllowedError") throw new Stopped(t("The camera is not allowed. Allow it for this page in the browser’s settings, then press the button."));
    if (problem.name === "NotFoundError") throw new Stopped(t("This device has no camera."));
    throw problem;
  }
  [track] = stream.getVideoTracks();
  view.srcObject = stream;
  await view.play();
  torch.hidden = !track.getCapabilities?.().torch;
  torch.setAttribute("aria-pressed", "false");
}

async function enter() {
  const answer = await fetch("/api/phone", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ word }), signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  const content = await answer.json();
  if (answer.status === 403 || answer.status === 400) throw new Stopped(content.error);
  if (!answer.ok) throw new Error(content.error);
  token = content.token;
  number = 0;
}

/** Resolves to true at the camera's next picture, to false if none comes in time. */
function nextPicture() {
  if (!view.requestVideoFrameCallback) return pause(MIN_INTERVAL_MS).then(() => view.readyState >= 2);
  return Promise.race([new Promise((done) => view.requestVideoFrameCallback(() => done(true))), pause(PICTURE_TIMEOUT_MS).then(() => false)]);
}

async function newest() {
  if (!(await nextPicture()) || !view.videoWidth) return null;
  const scale = Math.min(1, MAX_PICTURE_SIDE / Math.max(view.videoWidth, view.videoHeight));
  const [width, height] = [view.videoWidth, view.videoHeight].map((side) => Math.round(side * scale));
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  pen.drawImage(view, 0, 0, width, height);
  return new Promise((done) => canvas.toBlob(done, "image/jpeg", JPEG_QUALITY));
}

async function send(picture) {
  number += 1;
  const answer = await fetch(`/api/phone/picture?n=${number}`, { method: "POST", headers: { "Content-Type": "image/jpeg", "X-Phone": token }, body: picture, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  if (answer.ok) return say("live", t("Connected: the pictures arrive"));
  const { error } = await answer.json();
  if (answer.status === 409) throw new Stopped(error);
  // The companion was restarted.
  if (answer.status === 401) token = "";
  throw new Error(error);
}

async function round() {
  if (document.hidden) return pause(MIN_INTERVAL_MS * 4);
  if (track?.readyState !== "live") await openCamera();
  if (!token) await enter();
  const began = performance.now();
  const picture = await newest();
  if (picture) await send(picture);
  else if (!document.hidden) {
    say("off", t("The camera gives no picture; it is being reopened"));
    await openCamera();
  }
  return pause(MIN_INTERVAL_MS - (performance.now() - began));
}

async function run() {
  running = true;
  sessionStorage.setItem("running", "yes");
  start.hidden = true;
  say("off", t("Connecting to the companion …"));
  let wait = 0;
  while (running) {
    try {
      await round();
      wait = 0;
    } catch (problem) {
      if (problem instanceof Stopped) {
        say("stopped", problem.message);
        running = false;
        sessionStorage.removeItem("running");
      } else {
        console.info(problem.message);
        say("off", t("The companion cannot be reached. The page keeps trying."));
        wait = Math.min(MAX_RETRY_DELAY_MS, 2 * wait || 250);
        await pause(wait);
      }
    }
  }
  // Nothing is sent any more, so the camera's indicator must go out.
  track?.stop();
  track = null;
  token = "";
  torch.hidden = true;
  start.hidden = false;
}

start.addEventListener("click", () => running || run());
torch.addEventListener("click", async () => {
  const on = torch.getAttribute("aria-pressed") !== "true";
  try {
    await track.applyConstraints({ advanced: [{ torch: on }] });
    torch.setAttribute("aria-pressed", String(on));
  } catch (problem) {
    console.info(problem.message);
    torch.hidden = true;
  }
});
// After a call or a locked screen some phones leave the camera open but frozen.
document.addEventListener("visibilitychange", () => {
  if (!running || document.hidden) return;
  if (track?.muted) track.stop();
  view.play().catch((problem) => console.info(problem.message));
});

keepScreenOn();
if (sessionStorage.getItem("running")) run();
document.body.dataset.ready = "";
