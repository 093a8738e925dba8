import { beforeEach, expect, it, vi } from "vitest";
import { CART_KEY } from "@/lib/cart-storage";
import { askEarly, earlyArrival, quoteQuestion, seeEarly, takeEarly } from "./early";
import { ATTEMPT_KEY, COUNTRY_KEY } from "./tab-memory";

const LINE = { product_id: 12, variation_id: null, finish: "painted", quantity: 2 };
const MODULES = "/static/build/islands/cart-AAAAAAAA.js /static/build/c/react-BBBBBBBB.js";
const network = vi.fn(async () => Response.json({ total: "12.00" }));
const leave = vi.fn();

/** Of a page that is not painted yet. */
class PaintObserver {
  observe() {}
}

beforeEach(() => {
  vi.resetModules();
  network.mockClear();
  leave.mockClear();
  vi.stubGlobal("fetch", network);
  vi.stubGlobal("location", { replace: leave });
  vi.stubGlobal("PerformanceObserver", PaintObserver);
  document.documentElement.dataset.runtime = "/static/build/runtime-AAAAAAAA.js";
  document.head.replaceChildren();
  document.documentElement.lang = "de";
  delete document.documentElement.dataset.cart;
  window.earlyQuote = undefined;
});

/** Runs the script as the page's head does. */
async function start(attributes: Record<string, string>): Promise<void> {
  const script = document.createElement("script");
  Object.assign(script.dataset, { country: "FR", modules: MODULES, ...attributes });
  vi.spyOn(document, "currentScript", "get").mockReturnValue(script);
  await import("./start");
}

const fill = () => localStorage.setItem(CART_KEY, JSON.stringify({ version: 1, lines: [LINE] }));
const runtime = () => document.head.querySelector("script")?.getAttribute("src");
const modules = () =>
  [...document.head.querySelectorAll("link")].map((link) => [link.rel, link.getAttribute("href")]);

it("asks what the cart costs and fetches the island's modules", async () => {
  fill();
  await start({});

  expect(network).toHaveBeenCalledExactlyOnceWith("/api/cart/quote", {
    method: "POST",
    headers: { Accept: "application/json", "Accept-Language": "de", "Content-Type": "application/json" },
    credentials: "same-origin",
    body: JSON.stringify({ lines: [LINE], country: "FR" }),
  });
  expect(modules()).toEqual(MODULES.split(" ").map((href) => ["modulepreload", href]));
  expect(runtime()).toBe("/static/build/runtime-AAAAAAAA.js");
  expect(document.documentElement.dataset.cart).toBeUndefined();
  expect(leave).not.toHaveBeenCalled();

  const answer = await takeEarly(quoteQuestion([LINE], "FR"));
  expect(await answer?.json()).toEqual({ total: "12.00" });
  expect(takeEarly(quoteQuestion([LINE], "FR"))).toBeUndefined();
});

it("asks for the country that was chosen", async () => {
  fill();
  sessionStorage.setItem(COUNTRY_KEY, '"CH"');
  await start({});
  expect(takeEarly(quoteQuestion([LINE], "CH"))).toBeInstanceOf(Promise);
});

it("has no answer to another question", async () => {
  fill();
  await start({});
  expect(takeEarly(quoteQuestion([LINE], "BE"))).toBeUndefined();
});

it.each([null, "{{{", '{"version":1,"lines":[]}'])(
  "marks the page of an empty cart (%j) and fetches nothing",
  async (raw) => {
    if (raw) localStorage.setItem(CART_KEY, raw);
    await start({});
    expect(document.documentElement.dataset.cart).toBe("empty");
    expect(network).not.toHaveBeenCalled();
    expect(modules()).toEqual([]);
    expect(runtime()).toBeUndefined();
    expect(leave).not.toHaveBeenCalled();
  },
);

it("is not waited for where nothing was asked, where it failed, nor for ever", async () => {
  const order: string[] = [];
  await earlyArrival();
  network.mockRejectedValueOnce(new TypeError("Failed to fetch"));
  fill();
  await start({});
  await earlyArrival();
  expect(seeEarly(quoteQuestion([LINE], "FR"))).toBeUndefined();

  vi.useFakeTimers();
  network.mockReturnValueOnce(new Promise<Response>(() => {}));
  askEarly(quoteQuestion([LINE], "FR"));
  const waited = earlyArrival().then(() => order.push("drawn"));
  await vi.advanceTimersByTimeAsync(999);
  expect(order).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  await waited;
  expect(order).toEqual(["drawn"]);
});

it("takes the order after an empty cart for another one", async () => {
  sessionStorage.setItem(ATTEMPT_KEY, '{"key":"a","mark":"b"}');
  await start({});
  expect(sessionStorage.getItem(ATTEMPT_KEY)).toBeNull();
});
