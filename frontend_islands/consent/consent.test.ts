import { screen, waitFor, within } from "@testing-library/dom";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const VERSION = "f06fdebc6268";
const ID = "4fc43236-5980-47fa-82f9-c845995ed5b2";
const TEXTS = `
  <section class="consent" aria-label="Cookies" hidden>
    <button type="button" data-choice="refuse">Tout refuser</button>
    <button type="button" data-choice="accept">Tout accepter</button>
    <button type="button" data-choice="customise">Personnaliser</button>
    <button type="button" data-choice="refuse">Fermer</button>
  </section>
  <dialog aria-label="Préférences"><form method="dialog">
    <input type="checkbox" role="switch" name="necessary" aria-label="Nécessaires" checked disabled>
    <input type="checkbox" role="switch" name="analytics" aria-label="Mesure">
    <input type="checkbox" role="switch" name="marketing" aria-label="Publicité">
    <button type="button" data-choice="cancel">Annuler</button>
    <button type="submit" data-choice="save">Enregistrer</button>
  </form></dialog>
  <p hidden data-saved>Votre choix est enregistré.</p>`;
const fetched = vi.fn();

/** Each test's page is one of its own: nothing of it listens on. */
let left: () => void = () => {};

beforeEach(() => {
  vi.resetModules();
  const added: [EventTarget, string, EventListener][] = [];
  for (const target of [document, window]) {
    const add = target.addEventListener.bind(target);
    vi.spyOn(target, "addEventListener").mockImplementation((name: string, handle: unknown) => {
      added.push([target, name, handle as EventListener]);
      add(name, handle as EventListener);
    });
  }
  left = () => {
    for (const [target, name, handle] of added) target.removeEventListener(name, handle);
  };
  vi.stubGlobal("fetch", fetched.mockResolvedValue({ ok: true }));
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe() {}
    },
  );
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function () {
    this.open = false;
  };
});

afterEach(() => {
  left();
  vi.restoreAllMocks();
  fetched.mockReset();
  document.body.replaceChildren();
  document.head.replaceChildren();
  delete window.fbq;
  delete window.dataLayer;
  for (const pair of document.cookie.split("; ")) {
    // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store
    document.cookie = `${pair.split("=")[0]}=; Max-Age=0; Path=/`;
  }
});

async function open(
  attributes = 'data-analytics="G-AB12CD34EF" data-marketing="123456789012345" data-title="Accueil" data-event=""',
  offered = "analytics marketing",
) {
  document.body.innerHTML = `<template id="consent" data-version="${VERSION}" data-offered="${offered}"
    data-stored-analytics="_ga _ga_* " data-stored-marketing="_fbp " ${attributes}>${TEXTS}</template>
    <a href="/politique-cookies#choix" data-consent>Gérer les cookies</a><main tabindex="-1"></main><p id="live"></p>`;
  await import("./index");
}

function store(changes: object = {}) {
  const entry = { necessary: true, analytics: true, marketing: true, functionality: true, version: VERSION };
  const meta = { date: new Date().toISOString(), id: ID, number: 3, isRecorded: true };
  localStorage.setItem("cookie-consent", JSON.stringify({ ...entry, ...meta, ...changes }));
}

const stored = () => JSON.parse(localStorage.getItem("cookie-consent") ?? "null");
const loaded = () => [...document.head.querySelectorAll("script")].map(({ src }) => src);
const banner = () => screen.queryByRole("region", { name: "Cookies" });
const button = (name: string) => screen.getByRole("button", { name });
const sent = () => fetched.mock.calls.map(([url, { body }]) => [url, JSON.parse(body)]);
const GOOGLE = "https://www.googletagmanager.com/gtag/js?id=G-AB12CD34EF";
const META = "https://connect.facebook.net/en_US/fbevents.js";

test("nothing is loaded before an answer, and the question is asked", async () => {
  await open();
  await waitFor(() => expect(banner()).not.toBeNull());
  expect(loaded()).toEqual([]);
  expect(stored()).toBeNull();
  expect(fetched).not.toHaveBeenCalled();
});

test("accepting stores all four, tells the shop what was asked, and loads both", async () => {
  await open();
  await userEvent.click(await waitFor(() => button("Tout accepter")));
  const all = { necessary: true, analytics: true, marketing: true, functionality: true };
  expect(stored()).toMatchObject({ ...all, version: VERSION, number: 1 });
  expect(sent()).toEqual([
    [
      "/api/consent",
      {
        id: stored().id,
        number: 1,
        version: VERSION,
        choices: { analytics: true, marketing: true },
        language: document.documentElement.lang,
      },
    ],
  ]);
  await waitFor(() => expect(loaded()).toEqual([GOOGLE, META]));
  expect(banner()).toBeNull();
  expect(document.getElementById("live")?.textContent).toBe("Votre choix est enregistré.");
  await waitFor(() => expect(stored().isRecorded).toBe(true));
});

test.each(["Tout refuser", "Fermer"])("« %s » refuses everything but what is necessary", async (name) => {
  await open();
  await userEvent.click(await waitFor(() => button(name)));
  const none = { necessary: true, analytics: false, marketing: false, functionality: false };
  expect(stored()).toMatchObject(none);
  expect(sent()[0]?.[1].choices).toEqual({ analytics: false, marketing: false });
  expect(loaded()).toEqual([]);
  expect(banner()).toBeNull();
});

test("Escape inside the question refuses", async () => {
  await open();
  (await waitFor(() => button("Personnaliser"))).focus();
  await userEvent.keyboard("{Escape}");
  expect(stored()).toMatchObject({ analytics: false, marketing: false });
  expect(document.activeElement).toBe(document.querySelector("main"));
});

test("each category by itself; cancelling leaves the question open", async () => {
  await open();
  await userEvent.click(await waitFor(() => button("Personnaliser")));
  await userEvent.click(screen.getByRole("switch", { name: "Publicité" }));
  await userEvent.click(button("Annuler"));
  expect(stored()).toBeNull();
  expect(banner()).not.toBeNull();

  await userEvent.click(button("Personnaliser"));
  expect(screen.getByRole<HTMLInputElement>("switch", { name: "Publicité" }).checked).toBe(false);
  await userEvent.click(screen.getByRole("switch", { name: "Mesure" }));
  await userEvent.click(button("Enregistrer"));
  expect(stored()).toMatchObject({ analytics: true, marketing: false, functionality: false });
  await waitFor(() => expect(loaded()).toEqual([GOOGLE]));
});

test("an answer counts for six months, and to the same question", async () => {
  const { isInForce, readChoice } = await import("./choice");
  store({ date: "2026-05-23T10:00:00.000Z" });
  const choice = readChoice();
  expect(isInForce(choice, VERSION, new Date("2026-11-23T09:59:00Z"))).toBe(true);
  expect(isInForce(choice, VERSION, new Date("2026-11-23T11:00:00Z"))).toBe(false);
  expect(isInForce(choice, "000000000000", new Date("2026-06-01T10:00:00Z"))).toBe(false);
  expect(isInForce(choice, VERSION, new Date("2026-05-20T10:00:00Z"))).toBe(false);
  store({ date: "2026-08-31T10:00:00.000Z" });
  expect(isInForce(readChoice(), VERSION, new Date("2027-02-28T09:00:00Z"))).toBe(true);
  expect(isInForce(readChoice(), VERSION, new Date("2027-03-01T12:00:00Z"))).toBe(false);
});

test("a stored agreement loads without asking; an outdated one asks and loads nothing", async () => {
  store();
  await open();
  await waitFor(() => expect(loaded()).toEqual([GOOGLE, META]));
  expect(banner()).toBeNull();
  expect(fetched).not.toHaveBeenCalled();

  vi.resetModules();
  document.head.replaceChildren();
  store({ version: "000000000000" });
  await open();
  await waitFor(() => expect(banner()).not.toBeNull());
  expect(loaded()).toEqual([]);
});

test("a refusal that is stored fetches nothing and deletes what a service left", async () => {
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store
  for (const name of ["_ga", "_ga_AB12", "_fbp", "member"]) document.cookie = `${name}=1; Path=/`;
  store({ analytics: false });
  await open();
  await waitFor(() => expect(loaded()).toEqual([META]));
  expect(document.cookie).toBe("_fbp=1; member=1");
});

test("the footer's link opens the switches as they are; withdrawing silences and deletes", async () => {
  store();
  await open();
  await waitFor(() => expect(loaded()).toHaveLength(2));
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store
  document.cookie = "_ga=1; Path=/";
  await userEvent.click(screen.getByRole("link", { name: "Gérer les cookies" }));
  const dialog = await waitFor(() => screen.getByRole("dialog"));
  for (const each of within(dialog).getAllByRole<HTMLInputElement>("switch")) expect(each.checked).toBe(true);
  await userEvent.click(screen.getByRole("switch", { name: "Mesure" }));
  await userEvent.click(screen.getByRole("switch", { name: "Publicité" }));
  await userEvent.click(button("Enregistrer"));
  expect(stored()).toMatchObject({ analytics: false, marketing: false, id: ID, number: 4 });
  expect(sent()[0]?.[1]).toMatchObject({ id: ID, number: 4 });
  expect(document.cookie).toBe("");
  await waitFor(() => expect(Object(window)["ga-disable-G-AB12CD34EF"]).toBe(true));
  expect(window.fbq?.queue?.at(-1)).toEqual(["consent", "revoke"]);
});

const ELSEWHERE: [string, () => Event][] = [
  ["in another tab", () => new StorageEvent("storage", { key: "cookie-consent" })],
  ["on the page before", () => Object.assign(new Event("pageshow"), { persisted: true })],
];

test.each(ELSEWHERE)("what is withdrawn %s is silenced here too", async (_where, news) => {
  store();
  await open();
  await waitFor(() => expect(loaded()).toHaveLength(2));
  store({ analytics: false, marketing: false });
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store
  document.cookie = "_ga=1; Path=/";
  dispatchEvent(news());
  await waitFor(() => expect(window.fbq?.queue?.at(-1)).toEqual(["consent", "revoke"]));
  expect(document.cookie).toBe("");
});

test.each(ELSEWHERE)("what is answered %s is asked no more", async (_where, news) => {
  await open();
  await waitFor(() => expect(banner()).not.toBeNull());
  dispatchEvent(news());
  expect(banner()).not.toBeNull();
  store();
  dispatchEvent(news());
  expect(banner()).toBeNull();
  expect(document.documentElement.style.getPropertyValue("--consent-room")).toBe("");
  await waitFor(() => expect(loaded()).toEqual([GOOGLE, META]));
  expect(fetched).not.toHaveBeenCalled();
});

test("a page without ids is never measured", async () => {
  store();
  await open("");
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(loaded()).toEqual([]);
});

test("what is reported of a page: its name, its group, its event, each vital once", async () => {
  store();
  await open(
    'data-analytics="G-AB12CD34EF" data-marketing="123456789012345" data-title="Catalogue Produits" data-event="ViewContent"',
  );
  await waitFor(() => expect(loaded()).toHaveLength(2));
  for (const [name, value] of [
    ["LCP", 1234.6],
    ["CLS", 0.0834],
    ["INP", 88],
    ["LCP", 9],
    ["TTFB", 12],
  ] as const) {
    document.dispatchEvent(new CustomEvent("shop:web-vital", { detail: { name, value, rating: "good" } }));
  }
  const layer = (window.dataLayer ?? []).map((call) => [...(call as Iterable<unknown>)]);
  expect(layer[1]).toEqual([
    "config",
    "G-AB12CD34EF",
    expect.objectContaining({
      send_page_view: false,
      cookie_expires: 34_128_000,
      allow_google_signals: false,
    }),
  ]);
  expect(layer.slice(2)).toEqual([
    ["event", "page_view", { page_title: "Catalogue Produits", content_group: "Catalogue Produits" }],
    ...[
      ["LCP", 1235],
      ["CLS", 83],
      ["INP", 88],
    ].map(([event_label, value]) => [
      "event",
      "web_vitals",
      { event_category: "Web Vitals", event_label, value, non_interaction: true },
    ]),
  ]);
  expect(window.fbq?.queue).toEqual([
    ["set", "autoConfig", false, "123456789012345"],
    ["init", "123456789012345"],
    ["track", "PageView"],
    ["track", "ViewContent"],
  ]);
});

test("addresses of the shop's own pages are told to nobody", async () => {
  Object.defineProperty(document, "referrer", {
    configurable: true,
    value: `${location.origin}/commande/1?acces=key`,
  });
  history.replaceState(null, "", "/produits?search=secret&utm_source=letter");
  store();
  await open();
  // Meta's script would read the search in the address.
  await waitFor(() => expect(loaded()).toEqual([GOOGLE]));
  expect(window.fbq).toBeUndefined();
  expect(document.referrer).toBe(`${location.origin}/`);
  const [, , options] = [...((window.dataLayer ?? [])[1] as Iterable<unknown>)];
  expect(options).toMatchObject({
    page_location: `${location.origin}/produits?utm_source=letter`,
    page_referrer: `${location.origin}/`,
  });
  history.replaceState(null, "", "/");
});

test("a campaign in the address keeps no service off", async () => {
  history.replaceState(null, "", "/produits?utm_source=letter&gclid=1&fbclid=2");
  store();
  await open();
  await waitFor(() => expect(loaded()).toEqual([GOOGLE, META]));
  history.replaceState(null, "", "/");
});

test("what a service stored that the shop no longer uses is deleted", async () => {
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store
  for (const name of ["_ga", "_fbp"]) document.cookie = `${name}=1; Path=/`;
  store();
  await open('data-analytics="G-AB12CD34EF" data-title="Accueil" data-event=""', "analytics");
  await waitFor(() => expect(loaded()).toEqual([GOOGLE]));
  expect(document.cookie).toBe("_ga=1");
});

test("an answer that did not arrive is sent with the next page", async () => {
  fetched.mockRejectedValueOnce(new TypeError("offline"));
  store({ isRecorded: false, analytics: false, marketing: false });
  await open();
  await waitFor(() => expect(fetched).toHaveBeenCalledTimes(1));
  expect(stored().isRecorded).toBe(false);
});

test.each(["", "null", "[]", "{", '{"version":1}'])("a damaged entry (%s) asks again", async (text) => {
  localStorage.setItem("cookie-consent", text);
  const { readChoice } = await import("./choice");
  expect(readChoice()).toBeNull();
});
