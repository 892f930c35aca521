// For a screen beside the table: keeps it on, and enters full screen at the first touch or key.

/** Keep the screen on while the page is visible. Browsers allow it only on the machine itself and over https. */
export function keepScreenOn() {
  const light = () => {
    if (document.visibilityState !== "visible") return;
    navigator.wakeLock?.request("screen").catch((problem) => console.info(problem.message));
  };
  document.addEventListener("visibilitychange", light);
  light();
}

/** Keep the screen on, and enter full screen at the first touch or key. */
export function keepAwake() {
  keepScreenOn();
  const fill = () => {
    if (!document.fullscreenElement) document.documentElement.requestFullscreen?.().catch((problem) => console.info(problem.message));
  };
  document.addEventListener("click", fill);
  document.addEventListener("keydown", (event) => event.key === "Enter" && fill());
}
