// Runs before anything is drawn, so that the chosen brightness does not flash in late.
(() => {
  try {
    const theme = localStorage.getItem("focus.theme");
    if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  } catch (problem) {
    console.info("No storage for the page's settings:", problem.message);
  }
})();
