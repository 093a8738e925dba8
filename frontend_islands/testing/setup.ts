/** Before each test: an empty page, an empty browser, no network; and what jsdom has not of a browser. */
import { cleanup, configure } from "@testing-library/react";
import { afterAll, afterEach, beforeEach, vi } from "vitest";

// React draws late, as on a busy machine: a test that does not wait for it fails each time, not once in fifty runs.
const drawing = vi.hoisted(() => {
  const { setTimeout } = globalThis;
  const waiting = new Set<() => void>();
  const setImmediate = (draw: () => void) => {
    waiting.add(draw);
    return setTimeout(() => {
      waiting.delete(draw);
      draw();
    }, 40);
  };
  Object.assign(globalThis, { setImmediate });
  return waiting;
});

performance.getEntriesByType ??= () => [];
// Enough for the names that tests use.
Object.assign(globalThis, { CSS: { escape: (text: string) => text.replace(/[^\w-]/g, "\\$&") } });

// How long a test waits for what it expects to appear: a busy machine takes more than the usual second.
configure({ asyncUtilTimeout: 20_000 });

beforeEach(() => {
  vi.stubGlobal("reportError", vi.fn());
  document.documentElement.lang = "fr";
  localStorage.clear();
  sessionStorage.clear();
  history.replaceState(null, "", "/");
  vi.stubGlobal("fetch", (input: unknown) => {
    throw new Error(`A test asked the network for ${String(input)}.`);
  });
});

afterEach(() => {
  cleanup();
  document.body.replaceChildren();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

// What is still to be drawn needs the window, which goes with the file.
afterAll(() => vi.waitUntil(() => drawing.size === 0, { interval: 10, timeout: 10_000 }));
