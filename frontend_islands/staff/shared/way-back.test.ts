import { beforeEach, expect, it, vi } from "vitest";
import { keepWayBack, leftList } from "./way-back";

const comeFrom = (address: string) =>
  vi.spyOn(document, "referrer", "get").mockReturnValue(address && `${location.origin}${address}`);
const wayBack = () => {
  document.body.innerHTML = '<a class="staff-head__back" href="/admin/commandes">Retour</a>';
  keepWayBack();
  return document.querySelector("a")?.getAttribute("href");
};

beforeEach(() => history.replaceState(null, "", "/admin/commandes/o1"));

it("leads back to the list as it was left, also after a form of the page", () => {
  const left = "/admin/commandes?filtre=late&q=lea";
  comeFrom(left);
  expect(new URL(wayBack() ?? "", location.href).search).toBe("?filtre=late&q=lea");
  comeFrom("/admin/commandes/o1");
  expect(wayBack()).toContain("?filtre=late&q=lea");
  history.replaceState(null, "", "/admin/commandes/o2");
  expect(wayBack()).not.toContain("?");
});

it("leads to the whole list who came from elsewhere", () => {
  comeFrom("/admin/commandes?filtre=late");
  wayBack();
  comeFrom("/admin?filtre=late");
  expect(wayBack()).not.toContain("?");
  comeFrom("/admin/commandes/o1");
  expect(wayBack()).not.toContain("?");
  vi.spyOn(document, "referrer", "get").mockReturnValue("https://example.com/admin/commandes?q=x");
  expect(wayBack()).not.toContain("?");
});

it("leads a page that goes back by itself there, too, and says what was done", () => {
  comeFrom("/admin/commandes?filtre=late&q=lea");
  wayBack();
  expect(leftList("/admin/commandes")).toBe("/admin/commandes?filtre=late&q=lea");
  expect(leftList("/admin/commandes", { retire: "7" })).toBe("/admin/commandes?filtre=late&q=lea&retire=7");
  expect(leftList("/admin/blog", { cree: "7" })).toBe("/admin/blog?cree=7");
});

it("leads back from what was just made to the list that it was begun from", () => {
  comeFrom("/admin/commandes?filtre=late");
  history.replaceState(null, "", "/admin/commandes/nouveau");
  wayBack();
  comeFrom("/admin/commandes/nouveau");
  history.replaceState(null, "", "/admin/commandes/o9");
  expect(wayBack()).toContain("?filtre=late");
  comeFrom("/admin/commandes/o9");
  expect(wayBack()).toContain("?filtre=late");
});
