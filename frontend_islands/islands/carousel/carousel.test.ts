import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { mount } from "./index";

let reduced = false;
let scrolled: number[] = [];
let host: HTMLElement;
let unmount: () => void = () => {};

beforeEach(() => {
  vi.useFakeTimers();
  reduced = false;
  scrolled = [];
  vi.stubGlobal("matchMedia", () => ({ matches: reduced }));
  Element.prototype.scrollTo = function scrollTo(options?: ScrollToOptions | number) {
    scrolled.push(typeof options === "object" ? (options.left ?? 0) : 0);
  } as Element["scrollTo"];
  document.body.innerHTML = `<div><div data-fallback><section data-count="{index} sur {total}">
    <div data-controls hidden>
      <button data-toggle data-play="Lancer" data-pause="Arrêter"><i data-when="playing"></i><i data-when="paused" hidden></i></button>
      <button data-previous></button><button data-dot></button><button data-dot></button><button data-dot></button>
      <button data-next></button><span data-counter></span>
    </div>
    <ul data-slides><li></li><li></li><li></li></ul></section></div></div>`;
  host = document.body.firstElementChild as HTMLElement;
});

afterEach(() => {
  unmount();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const find = (selector: string) => host.querySelector(selector) as HTMLElement;
const counter = () => find("[data-counter]").textContent;

it("advances every eight seconds and starts again after the last slide", () => {
  unmount = mount(host);
  expect(find("[data-controls]").hidden).toBe(false);
  expect(counter()).toBe("1 sur 3");
  vi.advanceTimersByTime(7999);
  expect(counter()).toBe("1 sur 3");
  vi.advanceTimersByTime(1);
  expect(counter()).toBe("2 sur 3");
  vi.advanceTimersByTime(16000);
  expect(counter()).toBe("1 sur 3");
  expect(scrolled).toHaveLength(3);
});

it("says nothing while it plays, and pauses on demand", () => {
  unmount = mount(host);
  const toggle = find("[data-toggle]");
  expect(find("[data-slides]").getAttribute("aria-live")).toBe("off");
  expect(toggle.getAttribute("aria-label")).toBe("Arrêter");
  toggle.click();
  expect(find("[data-slides]").getAttribute("aria-live")).toBe("polite");
  expect(toggle.getAttribute("aria-label")).toBe("Lancer");
  expect(find("[data-when='playing']").hidden).toBe(true);
  vi.advanceTimersByTime(60000);
  expect(counter()).toBe("1 sur 3");
});

it("waits while it is pointed at or has the focus", () => {
  unmount = mount(host);
  const root = find("[data-fallback]");
  for (const [enter, leave] of [
    ["pointerenter", "pointerleave"],
    ["focusin", "focusout"],
  ] as const) {
    const before = counter();
    root.dispatchEvent(new Event(enter));
    vi.advanceTimersByTime(60000);
    expect(counter()).toBe(before);
    root.dispatchEvent(new Event(leave));
    vi.advanceTimersByTime(8000);
    expect(counter()).not.toBe(before);
  }
});

it("waits for the focus when the pointer leaves", () => {
  unmount = mount(host);
  const root = find("[data-fallback]");
  for (const name of ["focusin", "pointerenter", "pointerleave"]) root.dispatchEvent(new Event(name));
  vi.advanceTimersByTime(60000);
  expect(counter()).toBe("1 sur 3");
  root.dispatchEvent(new Event("focusout"));
  vi.advanceTimersByTime(8000);
  expect(counter()).toBe("2 sur 3");
});

it("stops once a slide was chosen, and wraps at both ends", () => {
  unmount = mount(host);
  find("[data-previous]").click();
  expect(counter()).toBe("3 sur 3");
  find("[data-next]").click();
  expect(counter()).toBe("1 sur 3");
  (host.querySelectorAll("[data-dot]")[1] as HTMLElement).click();
  expect(counter()).toBe("2 sur 3");
  expect(host.querySelectorAll("[data-dot][aria-current]")).toHaveLength(1);
  vi.advanceTimersByTime(60000);
  expect(counter()).toBe("2 sur 3");
});

it("does not play by itself where reduced motion is asked for", () => {
  reduced = true;
  unmount = mount(host);
  expect(find("[data-toggle]").getAttribute("aria-label")).toBe("Lancer");
  vi.advanceTimersByTime(60000);
  expect(counter()).toBe("1 sur 3");
});

it("leaves no timer behind", () => {
  mount(host)();
  expect(find("[data-controls]").hidden).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

it("follows a finger's swipe once it has come to rest", () => {
  unmount = mount(host);
  const slides = find("[data-slides]");
  Object.defineProperty(slides, "clientWidth", { value: 300 });
  slides.dispatchEvent(new Event("pointerdown"));
  for (const left of [120, 340, 600]) {
    slides.scrollLeft = left;
    slides.dispatchEvent(new Event("scroll"));
    vi.advanceTimersByTime(100);
    expect(counter()).toBe("1 sur 3");
  }
  vi.advanceTimersByTime(50);
  expect(counter()).toBe("3 sur 3");
  expect(find("[data-dot]:nth-of-type(5)").getAttribute("aria-current")).toBe("true");

  find("[data-previous]").click();
  expect(counter()).toBe("2 sur 3");
});
