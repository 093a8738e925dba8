import { beforeAll, expect, it, vi } from "vitest";

const settled = () => new Promise((resolve) => setTimeout(resolve));
const WORDS = `<div id="toasts" data-close="Fermer">
  <template data-notice="favourite_added" data-kind="success" data-title="Ajouté" data-link="/favoris">Voir</template>
  <template data-notice="favourite_removed" data-kind="info" data-title="Retiré"></template>
  <template data-notice="favourite_failed" data-kind="error" data-title="Non enregistré">Réessayez.</template></div>`;
const heart = (id: number) =>
  `<favourite-button product="${id}"><button type="button" aria-pressed="false">♥</button></favourite-button>`;
const pressed = () =>
  [...document.querySelectorAll("favourite-button button")].map((each) => each.getAttribute("aria-pressed"));

beforeAll(async () => {
  await import("./favourite-button");
});

it("shows and changes what is kept, everywhere on the page", async () => {
  localStorage.setItem("favorites", "[2]");
  document.body.innerHTML = WORDS + heart(1) + heart(2) + heart(1);
  expect(pressed()).toEqual(["false", "true", "false"]);

  document.querySelector<HTMLElement>("favourite-button button")?.click();
  await settled();
  expect(pressed()).toEqual(["true", "true", "true"]);
  const toast = document.querySelector(".toast--success");
  expect(toast?.querySelector(".toast__title")?.textContent).toBe("Ajouté");
  expect(toast?.querySelector("a")?.getAttribute("href")).toBe("/favoris");

  document.querySelector<HTMLElement>("favourite-button button")?.click();
  await settled();
  expect(pressed()).toEqual(["false", "true", "false"]);
  expect(document.querySelector(".toast--info .toast__title")?.textContent).toBe("Retiré");
});

it.each([
  ["other tabs", new StorageEvent("storage", { key: "favorites" })],
  ["the page before it", Object.assign(new Event("pageshow"), { persisted: true })],
])("follows %s", (_which, news) => {
  localStorage.clear();
  document.body.innerHTML = WORDS + heart(3);
  localStorage.setItem("favorites", "[3]");
  dispatchEvent(news);
  expect(pressed()).toEqual(["true"]);
});

it("says so when the server does not take it", async () => {
  vi.spyOn(document, "cookie", "get").mockReturnValue("member=1");
  vi.stubGlobal("fetch", async () => {
    throw new TypeError("offline");
  });
  document.body.innerHTML = WORDS + heart(4);
  document.querySelector<HTMLElement>("favourite-button button")?.click();
  await settled();
  await settled();
  expect(pressed()).toEqual(["false"]);
  expect(document.querySelector(".toast--error .toast__text")?.textContent).toBe("Réessayez.");
});
