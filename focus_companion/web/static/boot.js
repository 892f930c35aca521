// Runs before anything is drawn, on every page, so that the page does not flash in the wrong theme.
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  try {
    chosen = localStorage.getItem("focus.theme");
  } catch (problem) {
    console.info("No storage for the page's settings:", problem.message);
  }
  const apply = () => {
    const own = chosen === "dark" || chosen === "light";
    document.documentElement.dataset.theme = own ? chosen : dark.matches ? "dark" : "light";
  };
  dark.addEventListener("change", apply);
  addEventListener("focus-theme", (event) => {
    chosen = event.detail;
    apply();
  });
  apply();
  // The settings menu closes as people expect: with Escape, or by a touch elsewhere.
  const close = (menu) => menu?.removeAttribute("open");
  document.addEventListener("click", (event) => {
    if (!event.target.closest(".menu")) close(document.querySelector(".menu[open]"));
  });
  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && document.querySelector(".menu[open]");
    if (!menu) return;
    close(menu);
    // Escape does one thing at a time.
    event.preventDefault();
    menu.querySelector("summary").focus();
  });
})();
