import { expect, test } from "vitest";
import { enhancePages } from "./pages";

test("what is said once leaves the address, and nothing else of it does", () => {
  history.replaceState({ kept: 1 }, "", "/admin/blog?cree=12&etat=brouillons#liste");
  document.body.innerHTML = `<div data-once="cree">Article créé</div>`;
  enhancePages();
  expect(location.pathname + location.search + location.hash).toBe("/admin/blog?etat=brouillons#liste");
  expect([history.state, document.body.textContent]).toEqual([{ kept: 1 }, "Article créé"]);
});

test("what was refused has the focus, though the address names a part of the page", () => {
  history.replaceState(null, "", "/admin/promotions/9#apercu");
  document.body.innerHTML = `<main><div class="error-summary" tabindex="-1" autofocus></div></main>`;
  enhancePages();
  dispatchEvent(new Event("load"));
  expect(document.activeElement?.className).toBe("error-summary");
});

test.each([
  ["out of sight", 1500, 1050],
  ["cut", 870, 420],
  ["in sight", 400, 0],
])("the navigation shows the link of the open page: %s", (_, offsetTop, scrolled) => {
  document.body.innerHTML = `<aside class="staff-side"><a href="/admin">Accueil</a><a aria-current="page">Journal</a></aside>`;
  const side = document.querySelector(".staff-side") as HTMLElement;
  Object.defineProperty(side, "clientHeight", { value: 900 });
  const open = { offsetTop: { value: offsetTop }, offsetHeight: { value: 44 } };
  Object.defineProperties(side.lastElementChild, open);
  enhancePages();
  expect(side.scrollTop).toBe(scrolled);
});
