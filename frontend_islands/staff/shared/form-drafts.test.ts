import { beforeEach, expect, test, vi } from "vitest";
import { keepDrafts } from "./form-drafts";

const KEY = "staff-draft:form:/admin/faq/7:0";

function page(
  values: { question?: string; seen?: string; key?: string; saved?: boolean; unsaved?: string } = {},
): void {
  document.body.innerHTML = `<main>${values.saved ? '<div class="alert alert--success"></div>' : ""}
    <form data-staff-form ${values.unsaved ?? ""}><input type="hidden" name="csrfmiddlewaretoken" value="secret"><input type="hidden" name="seen" value="${values.seen ?? "v1"}"><input type="hidden" name="creation_key" value="${values.key ?? "k1"}">
    <input name="question" value="${values.question ?? "Quand ?"}"><input type="checkbox" name="shown" value="on" checked>
    <textarea name="answer">Bientôt.</textarea><input type="password" name="code"></form></main>`;
  keepDrafts();
}

const field = <Kind extends HTMLElement = HTMLInputElement>(name: string) =>
  document.querySelector(`[name=${name}]`) as Kind;

function type(name: string, value: string): void {
  field(name).value = value;
  field(name).dispatchEvent(new Event("input", { bubbles: true }));
  vi.runAllTimers();
}

function send(): void {
  vi.spyOn(document, "referrer", "get").mockReturnValue(location.href);
  document.querySelector("form")?.dispatchEvent(new Event("submit", { bubbles: true }));
}
const offered = () => document.querySelector("[role=status]")?.textContent ?? "";
const press = (label: string) =>
  [...document.querySelectorAll("button")].find(({ textContent }) => textContent === label)?.click();

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  history.replaceState(null, "", "/admin/faq/7");
});

test("what was typed is offered again, put back when asked, and holds no secret", () => {
  page();
  type("question", "Quand part ma commande ?");
  type("code", "hunter2");
  field("shown").click();
  vi.runAllTimers();
  expect(localStorage.getItem(KEY)).not.toMatch(/secret|hunter2/);
  page();
  expect(offered()).toContain("Vous aviez commencé cette fiche le ");
  expect(offered()).not.toContain("Elle a changé depuis");
  expect(field("question").value).toBe("Quand ?");
  press("Reprendre ma saisie");
  expect([field("question").value, field("shown").checked, field("answer").value]).toEqual([
    "Quand part ma commande ?",
    false,
    "Bientôt.",
  ]);
});

test("a row that somebody saved meanwhile is told, and the draft keeps the version it was typed over", () => {
  page();
  type("question", "Quand part ma commande ?");
  page({ question: "Quand partez-vous ?", seen: "v2" });
  expect(offered()).toContain("Elle a changé depuis : relisez avant d'enregistrer.");
  press("Reprendre ma saisie");
  expect([field("question").value, field("seen").value]).toEqual(["Quand part ma commande ?", "v1"]);
});

test("a draft that was saved, forgotten or taken back is offered no more", () => {
  page();
  type("question", "Autre");
  send();
  page({ saved: true });
  expect(localStorage.getItem(KEY)).toBeNull();
  type("question", "Autre");
  page();
  press("L'oublier");
  expect(localStorage.getItem(KEY)).toBeNull();
  type("question", "Autre");
  type("question", "Quand ?");
  expect(localStorage.getItem(KEY)).toBeNull();
});

test("a draft that was refused is kept though something else is saved in between", () => {
  page();
  type("question", "Autre");
  send();
  page({ question: "Autre", unsaved: "data-unsaved" });
  history.replaceState(null, "", "/admin/categories");
  page();
  send();
  page({ saved: true });
  history.replaceState(null, "", "/admin/faq/7");
  page();
  expect(offered()).toContain("Vous aviez commencé cette fiche le ");
  press("Reprendre ma saisie");
  expect(field("question").value).toBe("Autre");
});

test.each(["another page", "another form of its page"])(
  "a draft whose answer was lost is kept though %s is saved next",
  (next) => {
    page();
    type("question", "Autre");
    send();
    if (next === "another page") history.replaceState(null, "", "/admin/categories");
    page();
    vi.spyOn(document, "referrer", "get").mockReturnValue(location.href);
    page({ saved: true });
    history.replaceState(null, "", "/admin/faq/7");
    page();
    expect(offered()).toContain("Vous aviez commencé cette fiche le ");
  },
);

test.each([
  ["that is taken back", {}],
  ["that the browser put back", { question: "Autre" }],
])("a draft %s keeps the key that it was perhaps sent under", (_case, shown) => {
  page();
  type("question", "Autre");
  send();
  page({ key: "k2", ...shown });
  expect(offered()).toContain("question" in shown ? "" : "Vous aviez commencé");
  expect(offered()).not.toContain("Elle a changé depuis");
  press("Reprendre ma saisie");
  expect([field("question").value, field("creation_key").value]).toEqual(["Autre", "k1"]);
});

test("what was sent and is shown again without being saved is kept, whatever else the page says is done", () => {
  page();
  type("question", "Autre");
  send();
  page({ question: "Autre, avec une pièce", saved: true, unsaved: "data-unsaved" });
  expect(offered()).toBe("");
  page();
  expect(offered()).toContain("Vous aviez commencé cette fiche le ");
  expect(offered()).not.toContain("Elle a changé depuis");
  press("Reprendre ma saisie");
  expect(field("question").value).toBe("Autre, avec une pièce");
});
