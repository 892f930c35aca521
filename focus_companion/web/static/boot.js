// Runs before anything is drawn, so that the chosen brightness does not flash in late.
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
})();
