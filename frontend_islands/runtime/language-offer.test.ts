import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { offerLanguage } from "./language-offer";

const bar = () => document.querySelector<HTMLElement>(".language-offer");

beforeEach(() => {
  localStorage.clear();
  document.documentElement.lang = "fr";
  document.head.innerHTML = ["fr", "en", "es", "de"]
    .map((code) => {
      const prefix = code === "fr" ? "" : `/${code}`;
      return `<link rel="alternate" hreflang="${code}" href="https://shop.example${prefix}/produits">`;
    })
    .join("");
  document.body.innerHTML = "<main></main>";
  history.replaceState(null, "", "/produits?category=bust");
});
afterEach(() => {
  document.documentElement.lang = "";
  document.head.innerHTML = "";
  vi.restoreAllMocks();
});

it.each([
  [["de-DE", "fr"], "de", "Diese Seite gibt es auf Deutsch.", "/de/produkte?category=bust"],
  [["en-GB"], "en", "This page is available in English.", "/en/products?category=bust"],
  [["pt-BR", "es-MX", "fr"], "es", "Esta página existe en español.", "/es/productos?category=bust"],
])("offers the first language of %j that the shop speaks", (wanted, code, text, address) => {
  offerLanguage(wanted);
  expect(bar()?.lang).toBe(code);
  expect(bar()?.querySelector("p")?.textContent).toBe(text);
  expect(bar()?.querySelector("a")?.getAttribute("href")).toBe(address);
  expect(bar()?.querySelector("a")?.hreflang).toBe(code);
  expect(document.activeElement).toBe(document.body);
});

it.each([[["fr-CA", "en"]], [["pt-BR", "fr"]], [["ja"]], [[]]])(
  "is silent for %j on a French page",
  (wanted) => {
    offerLanguage(wanted);
    expect(bar()).toBeNull();
  },
);

it("is silent where the page has no other language", () => {
  document.head.innerHTML = "";
  offerLanguage(["de"]);
  expect(bar()).toBeNull();
});

it("offers once", () => {
  offerLanguage(["de"]);
  offerLanguage(["de"]);
  expect(document.querySelectorAll(".language-offer")).toHaveLength(1);
});

it("goes away when it is dismissed, and keeps the answer", () => {
  offerLanguage(["de"]);
  bar()?.querySelector("button")?.click();
  expect(bar()).toBeNull();
  expect(localStorage.getItem("language")).toBe("fr");
});

it("goes away even where nothing can be kept", () => {
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("denied", "SecurityError");
  });
  offerLanguage(["de"]);
  bar()?.querySelector("button")?.click();
  expect(bar()).toBeNull();
});
