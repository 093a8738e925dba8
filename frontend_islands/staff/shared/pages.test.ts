import { expect, test } from "vitest";
import { enhancePages } from "./pages";

test("what is said once leaves the address, and nothing else of it does", () => {
  history.replaceState({ kept: 1 }, "", "/admin/blog?cree=12&etat=brouillons#liste");
  document.body.innerHTML = `<div data-once="cree">Article créé</div>`;
  enhancePages();
  expect(location.pathname + location.search + location.hash).toBe("/admin/blog?etat=brouillons#liste");
  expect([history.state, document.body.textContent]).toEqual([{ kept: 1 }, "Article créé"]);
});
