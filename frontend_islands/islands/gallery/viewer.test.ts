import type PhotoSwipe from "photoswipe";
import { expect, it, vi } from "vitest";
import { pressed } from "./viewer";

vi.mock("photoswipe", () => ({ default: class {} }));

/** A viewer of 1000 × 500 with one photo, enlarged so many times its fitting size. */
function viewing(level: number) {
  const zoomTo = vi.fn();
  const panTo = vi.fn();
  const currSlide = {
    currZoomLevel: level,
    zoomLevels: { fit: 0.5, max: 2 },
    pan: { x: 10, y: 20 },
    zoomTo,
    panTo,
  };
  const viewer = { currSlide, options: { zoomAnimationDuration: 220 }, viewportSize: { x: 1000, y: 500 } };
  return { viewer: viewer as unknown as PhotoSwipe, zoomTo, panTo };
}

const key = (name: string, held: KeyboardEventInit = {}) =>
  new KeyboardEvent("keydown", { key: name, ...held });

it.each([
  ["+", 0.5, 0.75],
  ["=", 1.6, 2],
  ["-", 0.75, 0.5],
  ["_", 0.6, 0.5],
  ["0", 1.5, 0.5],
])("%s at %d goes to %d", (name, from, to) => {
  const { viewer, zoomTo } = viewing(from);
  expect(pressed(viewer, key(name))).toBe(true);
  expect(zoomTo).toHaveBeenCalledExactlyOnceWith(to, undefined, 220);
});

it.each([
  ["ArrowLeft", 160, 20],
  ["ArrowRight", -140, 20],
  ["ArrowUp", 10, 95],
  ["ArrowDown", 10, -55],
])("%s moves an enlarged photo", (name, x, y) => {
  const { viewer, panTo } = viewing(1);
  expect(pressed(viewer, key(name))).toBe(true);
  expect(panTo).toHaveBeenCalledExactlyOnceWith(x, y);
});

it("leaves the arrows of a whole photo, other keys and shortcuts to the viewer and the browser", () => {
  const { viewer, zoomTo, panTo } = viewing(0.5);
  const taken = [key("ArrowLeft"), key("Escape"), key("+", { ctrlKey: true }), key("0", { metaKey: true })];
  expect(taken.map((event) => pressed(viewer, event))).toEqual([false, false, false, false]);
  expect(zoomTo).not.toHaveBeenCalled();
  expect(panTo).not.toHaveBeenCalled();
});
