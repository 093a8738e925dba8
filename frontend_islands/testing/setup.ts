/** Before each test: an empty page, an empty browser, no network. */
import { cleanup } from "@testing-library/react";
import { afterEach, beforeEach, vi } from "vitest";

beforeEach(() => {
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
