import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Metric } from "web-vitals";

type Listener = (metric: Metric) => void;
const vitals = vi.hoisted(() => ({ listeners: [] as Listener[] }));
vi.mock("web-vitals", () => {
  const listen = (listener: Listener) => vitals.listeners.push(listener);
  return { onCLS: listen, onFCP: () => {}, onINP: () => {}, onLCP: () => {}, onTTFB: () => {} };
});

const beacon = vi.fn<Navigator["sendBeacon"]>();
const sent = () => beacon.mock.calls.map(([address, body]) => [address, JSON.parse(String(body))]);

function set(target: object, name: string, value: unknown) {
  Object.defineProperty(target, name, { value, configurable: true });
}

async function open(address = "/", html = "") {
  history.replaceState(null, "", address);
  document.body.innerHTML = html;
  vi.resetModules();
  await import("./statistics");
}

beforeEach(() => {
  vi.useFakeTimers();
  beacon.mockReset();
  vitals.listeners.length = 0;
  localStorage.clear();
  set(navigator, "sendBeacon", beacon);
  set(navigator, "doNotTrack", null);
  set(navigator, "globalPrivacyControl", undefined);
  set(document, "referrer", "");
  set(performance, "getEntriesByType", () => [{ responseStatus: 200 }]);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  vi.stubGlobal("innerWidth", 1440);
});

afterEach(() => vi.unstubAllGlobals());

it("reports the page, where it was reached from and on what, and nothing else", async () => {
  set(document, "referrer", "https://www.example.org/a/page?of=somebody");
  vi.stubGlobal("innerWidth", 390);
  await open("/produit/3-gardien?utm_source=lettre&utm_campaign=noel&email=lea@example.com");
  expect(sent()).toEqual([
    [
      "/api/statistics/events",
      {
        path: "/produit/3-gardien",
        device: "phone",
        kind: "page",
        referrer: "www.example.org",
        source: "lettre",
        campaign: "noel",
      },
    ],
  ]);
  expect(localStorage).toHaveLength(0);
  expect(document.cookie).toBe("");
});

it("names no source for who comes from the shop itself", async () => {
  set(document, "referrer", `${location.origin}/produits`);
  vi.stubGlobal("matchMedia", () => ({ matches: true }));
  await open("/faq");
  expect(sent()).toMatchObject([["/api/statistics/events", { referrer: "", device: "tablet" }]]);
});

it.each([
  ["the visitor's own choice", () => localStorage.setItem("statistics-off", "visitor")],
  ["a browser of the staff area", () => localStorage.setItem("statistics-off", "staff")],
  ["Do Not Track", () => set(navigator, "doNotTrack", "1")],
  ["Global Privacy Control", () => set(navigator, "globalPrivacyControl", true)],
  ["an error page", () => set(performance, "getEntriesByType", () => [{ responseStatus: 404 }])],
])("counts nothing under %s", async (_name, arrange) => {
  arrange();
  await open("/");
  dispatchEvent(new Event("pagehide"));
  expect(beacon).not.toHaveBeenCalled();
  expect(vitals.listeners).toHaveLength(0);
});

it("reports what was put into the cart, and a page that comes back", async () => {
  await open("/produit/7-gardien");
  document.dispatchEvent(new CustomEvent("cart:added", { detail: { productId: 3, quantity: 1 } }));
  dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
  // Pages of earlier tests still listen.
  const own = sent().filter(([, { path }]) => path === "/produit/7-gardien");
  expect(own.map(([, { kind }]) => kind)).toEqual(["page", "cart", "page"]);
});

it("reports a search once somebody stops typing, once, and what it did not find", async () => {
  await open("/produits?search=gar", '<section id="resultats"><p data-count="3"></p></section>');
  const results = document.getElementById("resultats") as HTMLElement;
  vi.advanceTimersByTime(1000);
  history.replaceState(null, "", "/produits?search=gargouille");
  results.innerHTML = '<p data-count="0"></p>';
  await vi.advanceTimersByTimeAsync(1400);
  expect(sent()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(200);
  dispatchEvent(new Event("pagehide"));
  expect(sent().slice(1)).toMatchObject([
    ["/api/statistics/events", { kind: "search", search: "gargouille", found: 0, path: "/produits" }],
  ]);
});

it("passes web vitals on when they are measured and reports them together when the page is left", async () => {
  const passed: unknown[] = [];
  document.addEventListener("shop:web-vital", (event) => passed.push((event as CustomEvent).detail));
  await open("/faq");
  for (const listener of vitals.listeners) {
    listener({ name: "CLS", value: 0.01, rating: "good", delta: 0.01, id: "v6-unique" } as Metric);
  }
  expect(passed).toEqual([{ name: "CLS", value: 0.01, rating: "good" }]);
  dispatchEvent(new Event("pagehide"));
  dispatchEvent(new Event("pagehide"));
  expect(sent().slice(1)).toEqual([
    ["/api/vitals", [{ name: "CLS", value: 0.01, rating: "good", path: "/faq", device: "computer" }]],
  ]);
});

it("lets a visitor choose on the privacy page", async () => {
  await open("/politique-confidentialite", '<input type="checkbox" data-statistics-switch>');
  const box = document.querySelector("input") as HTMLInputElement;
  await vi.waitFor(() => expect(box.checked).toBe(true));
  box.click();
  expect(localStorage.getItem("statistics-off")).toBe("visitor");
  box.click();
  expect(localStorage.getItem("statistics-off")).toBeNull();
});

it("reports nothing any more of a page on which a visitor has objected, in another tab maybe", async () => {
  await open("/faq");
  for (const listener of vitals.listeners) {
    listener({ name: "CLS", value: 0.01, rating: "good", delta: 0.01, id: "v6-unique" } as Metric);
  }
  localStorage.setItem("statistics-off", "visitor");
  beacon.mockReset();
  document.dispatchEvent(new CustomEvent("cart:added", { detail: { productId: 3, quantity: 1 } }));
  dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
  dispatchEvent(new Event("pagehide"));
  expect(beacon).not.toHaveBeenCalled();
});

it("shows that the browser has objected already", async () => {
  set(navigator, "globalPrivacyControl", true);
  await open("/politique-confidentialite", '<input type="checkbox" checked data-statistics-switch>');
  const box = document.querySelector("input") as HTMLInputElement;
  await vi.waitFor(() => expect(box.disabled).toBe(true));
  expect(box.checked).toBe(false);
});
