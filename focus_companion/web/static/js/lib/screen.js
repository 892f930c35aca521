// A screen beside the table: it stays lit, and the first touch or key makes the page fill it.

/** Keep the screen lit while the page is seen. Browsers allow it on the machine itself and over https alone. */
export function stayLit() {
  const light = () => {
    if (document.visibilityState !== "visible") return;
    navigator.wakeLock?.request("screen").catch((problem) => console.info(problem.message));
  };
  document.addEventListener("visibilitychange", light);
  light();
}

/** Keep the screen lit, and fill it at the first touch or key. */
export function keepAwake() {
  stayLit();
  const fill = () => {
    if (!document.fullscreenElement) document.documentElement.requestFullscreen?.().catch((problem) => console.info(problem.message));
  };
  document.addEventListener("click", fill);
  document.addEventListener("keydown", (event) => event.key === "Enter" && fill());
}
