import { afterEach, beforeEach, expect, it, vi } from "vitest";

const root = document.documentElement;
const scripts = () =>
  [...document.head.querySelectorAll("script")].map((script) => [script.type, script.getAttribute("src")]);
const RUNTIME = [["module", "/static/build/runtime-AAAAAAAA.js"]];
let paint: () => void;
let observed: unknown;

class PaintObserver {
  constructor(callback: () => void) {
    paint = callback;
  }
  observe(options: unknown) {
    observed = options;
  }
}

beforeEach(() => {
  vi.resetModules();
  vi.stubGlobal("PerformanceObserver", PaintObserver);
  document.head.replaceChildren();
  root.dataset.runtime = "/static/build/runtime-AAAAAAAA.js";
  localStorage.setItem("language", "fr");
});

// Each import listens to the whole page.
afterEach(async () => (await import("./early-press")).letGo());

it("fetches the page's own script once the page is painted, and once", async () => {
  vi.useFakeTimers();
  await import("./start");
  expect(observed).toEqual({ type: "paint", buffered: true });
  expect(scripts()).toEqual([]);
  paint();
  expect(scripts()).toEqual(RUNTIME);
  paint();
  dispatchEvent(new Event("load"));
  vi.runAllTimers();
  expect(scripts()).toEqual(RUNTIME);
});

it("says on the root that the page's own script did not arrive", async () => {
  await import("./start");
  paint();
  const [script] = document.head.querySelectorAll("script");
  expect(root.dataset.runtime).toBe("/static/build/runtime-AAAAAAAA.js");
  script?.dispatchEvent(new Event("error"));
  expect(root.dataset.runtime).toBe("");
});

const place = (html: string) => {
  document.body.innerHTML = html;
  const control = document.querySelector("button") as HTMLElement;
  const pressed = vi.fn();
  control.addEventListener("click", pressed);
  return { control, pressed };
};

it.each([
  ['<x-stamp><form><button type="button" data-replay="add">+</button></form></x-stamp>', "load"],
  ["<favourite-button><button>♥</button></favourite-button>", "load"],
  // Then the form does what it does without scripts.
  ['<x-stamp><form><button type="button" data-replay="add">+</button></form></x-stamp>', "error"],
])("keeps a press on %s until the page's own script is there, or cannot be: %s", async (html, end) => {
  const { control, pressed } = place(html);
  await import("./start");
  paint();
  control.click();
  control.click();
  expect(pressed).not.toHaveBeenCalled();
  document.querySelector("script")?.dispatchEvent(new Event(end));
  expect(pressed).toHaveBeenCalledOnce();
  control.click();
  expect(pressed).toHaveBeenCalledTimes(2);
});

it("keeps no press on anything else, nor one that opens a tab", async () => {
  await import("./start");
  const { control, pressed } = place("<button>x</button>");
  control.click();
  expect(pressed).toHaveBeenCalledOnce();
  const { control: link, pressed: opened } = place(
    '<x-stamp><button data-replay="photo">x</button></x-stamp>',
  );
  link.dispatchEvent(new MouseEvent("click", { bubbles: true, ctrlKey: true }));
  expect(opened).toHaveBeenCalledOnce();
  paint();
  document.querySelector("script")?.dispatchEvent(new Event("load"));
  expect(opened).toHaveBeenCalledOnce();
});

it("waits for the whole page, whose islands it would find half", async () => {
  const state = vi.spyOn(document, "readyState", "get").mockReturnValue("loading");
  await import("./start");
  paint();
  expect(scripts()).toEqual([]);
  state.mockReturnValue("interactive");
  document.dispatchEvent(new Event("DOMContentLoaded", { bubbles: true }));
  expect(scripts()).toEqual(RUNTIME);
});

it("does not wait for ever where no browser says that it painted", async () => {
  vi.useFakeTimers();
  await import("./start");
  vi.advanceTimersByTime(10_000);
  expect(scripts()).toEqual([]);
  dispatchEvent(new Event("load"));
  vi.advanceTimersByTime(499);
  expect(scripts()).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(scripts()).toEqual(RUNTIME);
});
