// Shares the game as a film through the phone's share menu; the button is hidden in browsers without one.

import { t } from "../lib/texts.js";

const TYPE = "video/mp4";

export class Share {
  /** `nowOf()` returns the state whose game is shared; `toast(text)` reports errors. */
  constructor(button, nowOf, toast) {
    Object.assign(this, { button, nowOf, toast, file: null, made: "" });
    button.hidden = !navigator.canShare?.({ files: [new File([""], "game.mp4", { type: TYPE })] });
    button.addEventListener("click", () => this.share());
  }

  async share() {
    const { game, moves = [], result } = this.nowOf();
    const wanted = `${game} ${moves.length} ${result?.reason ?? ""}`;
    try {
      if (this.made !== wanted) {
        this.say(t("The film is being made …"), true);
        this.file = await film(game);
        this.made = wanted;
      }
      await navigator.share({ files: [this.file], title: "Focus" });
      this.say(t("Share the game"));
    } catch (problem) {
      // A phone opens its menu only soon after a touch; if making the film took too long, another touch is needed.
      if (problem.name === "NotAllowedError" && this.made === wanted) return this.say(t("The film is ready: share it"));
      this.say(t("Share the game"));
      if (problem.name !== "AbortError") this.toast(problem.message);
    }
    return undefined;
  }

  say(words, busy = false) {
    this.button.textContent = words;
    this.button.disabled = busy;
  }
}

async function film(game) {
  const answer = await fetch(`/api/games/${encodeURIComponent(game)}/export?format=mp4`, { cache: "no-store" }).catch((problem) => {
    // The browser words a lost connection in its own language.
    console.info(problem.message);
    throw new Error(t("The host does not answer. Try again when the page is live."));
  });
  if (!answer.ok) throw new Error((await answer.json()).error);
  return new File([await answer.blob()], `focus-game-${game}.mp4`, { type: TYPE });
}
