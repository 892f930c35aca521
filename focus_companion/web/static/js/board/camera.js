// The camera's picture with the reading on it, refreshed about once a second while it is visible.

const REFRESH_MS = 1000;
// More device pixels per CSS pixel are not requested: on a phone the picture is most of the traffic.
const MAX_PIXEL_RATIO = 1.5;

export class Camera {
  constructor(image, note, overlay) {
    Object.assign(this, { image, note, overlay, busy: false, address: null, timer: 0, seen: false, again: false });
    new IntersectionObserver(([entry]) => {
      this.seen = entry.isIntersecting;
      this.tick();
    }).observe(image.parentElement);
    document.addEventListener("visibilitychange", () => this.tick());
    overlay.addEventListener("change", () => this.refresh());
  }

  tick() {
    clearTimeout(this.timer);
    if (this.seen && !document.hidden) this.refresh();
  }

  /** Fetch a picture now; if one is being fetched already, fetch another right after it. */
  async refresh() {
    clearTimeout(this.timer);
    if (!this.seen || document.hidden) return;
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    try {
      const width = Math.ceil(this.image.parentElement.clientWidth * Math.min(devicePixelRatio, MAX_PIXEL_RATIO));
      const answer = await fetch(`/snapshot.jpg?width=${width}${this.overlay.checked ? "&overlay=1" : ""}`, { cache: "no-store" });
      if (answer.ok) await this.put(await answer.blob());
      this.note.hidden = answer.ok;
    } catch (problem) {
      console.info(problem.message);
      this.note.hidden = false;
    }
    this.busy = false;
    const wait = this.again ? 0 : REFRESH_MS;
    this.again = false;
    this.timer = setTimeout(() => this.refresh(), wait);
  }

  async put(blob) {
    const address = URL.createObjectURL(blob);
    const before = this.address;
    this.address = address;
    this.image.src = address;
    // The old picture stays until the new one can be drawn, so that nothing flickers.
    await this.image.decode();
    this.image.hidden = false;
    if (before) URL.revokeObjectURL(before);
  }
}
