import { beforeEach, expect, it } from "vitest";
import { showHead } from "./page-head";

beforeEach(() => {
  document.title = "Ours $1 · L'Établi";
  document.body.innerHTML = `<h1 class="staff-head__title">Ours $1</h1>
    <div class="staff-head__tools"><a data-shop-link href="/produit/7">Voir</a></div>
    <nav class="staff-path"><a>Blog</a><span aria-current="page">Ours $1</span></nav>`;
});

const seen = () => [
  document.title,
  ...[...document.querySelectorAll("h1, nav > *")].map(({ textContent }) => textContent),
  document.querySelector("a")?.hidden,
  document.querySelector("a")?.getAttribute("href"),
];

it("says the name that was saved, and leads to where visitors see it", () => {
  showHead("Ourse $& brune", "");
  expect(seen()).toEqual([
    "Ourse $& brune · L'Établi",
    "Ourse $& brune",
    "Blog",
    "Ourse $& brune",
    true,
    "/produit/7",
  ]);
  showHead("Ourse", "/produit/7-ourse");
  expect(seen()).toEqual(["Ourse · L'Établi", "Ourse", "Blog", "Ourse", false, "/produit/7-ourse"]);
});

it("leaves a page of the shop alone", () => {
  document.querySelector("h1")?.remove();
  const before = seen();
  showHead("Ourse", "");
  expect(seen()).toEqual(before);
});
