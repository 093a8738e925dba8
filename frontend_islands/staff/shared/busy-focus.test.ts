import { expect, it } from "vitest";
import { keepFocusOfBusy } from "./busy-focus";

const noticed = () => new Promise((done) => setTimeout(done));

it("gives a button that was busy the focus back, unless it is elsewhere by then", async () => {
  document.body.innerHTML = "<button>Enregistrer</button><input>";
  const button = document.querySelector("button") as HTMLButtonElement;
  const field = document.querySelector("input") as HTMLInputElement;
  keepFocusOfBusy();
  for (const [next, expected] of [
    [document.body, button],
    [field, field],
  ] as const) {
    button.focus();
    button.disabled = true;
    await noticed();
    // As browsers do, a moment later.
    button.blur();
    next.focus();
    button.disabled = false;
    await noticed();
    expect(document.activeElement).toBe(expected);
  }
});
