import { afterEach, beforeEach, expect, it, vi } from "vitest";
import schema from "@/api/schema.json";
import { LANGUAGES } from "./language";
import { offerLanguage } from "./language-offer";

const root = document.documentElement;
const bar = () => document.querySelector<HTMLElement>(".language-offer");

/** The head's script as a page runs it. */
async function arrive(
  languages: readonly string[],
  { path = "/produits?category=bust", referrer = "" } = {},
) {
  history.replaceState(null, "", path);
  const page = path === "/" ? "" : "/produits";
  document.head.innerHTML = ["fr", "en", "es", "de"]
    .map((code) => {
      const prefix = code === "fr" ? "" : `/${code}`;
      return `<link rel="alternate" hreflang="${code}" href="https://shop.example${prefix}${page || "/"}">`;
    })
    .join("");
  vi.spyOn(navigator, "languages", "get").mockReturnValue(languages);
  vi.spyOn(document, "referrer", "get").mockReturnValue(referrer);
  vi.resetModules();
  await import("./language-start");
}

beforeEach(() => {
  localStorage.clear();
  root.lang = "fr";
  delete root.dataset.offer;
  document.body.innerHTML = '<section class="language-offer"></section><main></main>';
});
afterEach(() => {
  root.lang = "";
  document.head.innerHTML = "";
  vi.restoreAllMocks();
});

it.each([
  [["de-DE", "fr"], "de", "Diese Seite gibt es auf Deutsch.", "/de/produits?category=bust"],
  [["en-GB"], "en", "This page is available in English.", "/en/produits?category=bust"],
  [["pt-BR", "es-MX", "fr"], "es", "Esta página existe en español.", "/es/produits?category=bust"],
])("offers the first language of %j that the shop speaks", async (wanted, code, text, address) => {
  await arrive(wanted);
  expect(root.dataset.offer).toBe(code);
  offerLanguage();
  expect(bar()?.lang).toBe(code);
  expect(bar()?.querySelector("p")?.textContent).toBe(text);
  expect(bar()?.querySelector("a")?.getAttribute("href")).toBe(address);
  expect(bar()?.querySelector("a")?.hreflang).toBe(code);
  expect(document.activeElement).toBe(document.body);
});

it.each([[["fr-CA", "en"]], [["pt-BR", "fr"]], [["ja"]], [[]]])(
  "keeps no row free for %j on a French page",
  async (wanted) => {
    await arrive(wanted);
    expect(root.dataset.offer).toBeUndefined();
  },
);

it("knows the languages of the server", () => {
  expect(LANGUAGES).toEqual(schema.components.schemas.LanguageEnum.enum);
});

it("takes the row away where the page has no other language", () => {
  root.dataset.offer = "de";
  offerLanguage();
  expect(root.dataset.offer).toBeUndefined();
  expect(bar()?.childNodes).toHaveLength(0);
});

it("offers once", async () => {
  await arrive(["de"]);
  offerLanguage();
  offerLanguage();
  expect(bar()?.querySelectorAll("a")).toHaveLength(1);
});

it("asks nobody who has chosen", async () => {
  localStorage.setItem("language", "fr");
  await arrive(["de"]);
  expect(root.dataset.offer).toBeUndefined();
});

it.each([
  ["leads to the chosen language's home page", { path: "/" }, "de", ["/de/"]],
  ["stays on the home page that was chosen", { path: "/" }, "fr", []],
  [
    "follows the shop's own links to the French home page",
    { path: "/", referrer: `${location.origin}/faq` },
    "de",
    [],
  ],
  ["stays on any other French page", {}, "de", []],
  ["stays for a language that the shop does not speak", { path: "/" }, "xx", []],
])("%s", async (_name, visit: { path?: string; referrer?: string }, chosen, addresses) => {
  localStorage.setItem("language", chosen);
  const replace = vi.fn();
  vi.stubGlobal("location", {
    ...location,
    origin: location.origin,
    pathname: visit.path ?? "/produits",
    search: "",
    replace,
  });
  await arrive(["de"], visit);
  expect(replace.mock.calls.flat()).toEqual(addresses);
  vi.unstubAllGlobals();
});

it("keeps the language of a link that is pressed before the page's own script is there", async () => {
  await arrive(["fr"]);
  document.body.innerHTML = '<a hreflang="de" href="#de"><span>Deutsch</span></a>';
  document.querySelector("span")?.click();
  expect(localStorage.getItem("language")).toBe("de");
});

it("goes away when it is dismissed, and keeps the answer", async () => {
  await arrive(["de"]);
  offerLanguage();
  bar()?.querySelector("button")?.click();
  expect(root.dataset.offer).toBeUndefined();
  expect(bar()?.childNodes).toHaveLength(0);
  expect(localStorage.getItem("language")).toBe("fr");
});

it("goes away even where nothing can be kept", async () => {
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("denied", "SecurityError");
  });
  await arrive(["de"]);
  offerLanguage();
  bar()?.querySelector("button")?.click();
  expect(root.dataset.offer).toBeUndefined();
});
