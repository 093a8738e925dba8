import { act, fireEvent, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { AdminArticle, StaffArticleProps } from "@/api/types";
import { barriers } from "@/testing/accessibility";
import { type Held, hold } from "@/testing/held";
import { renderStaff } from "@/testing/staff";
import * as sending from "../pictures/send";
import * as shrinking from "../pictures/shrink";
import { draftNames, readDraft, writeDraft } from "../shared/drafts";
import { ArticleEditor } from "./article-editor";

const PROPS: StaffArticleProps = {
  article_id: 7,
  author_name: "Alix",
  categories: [
    { value: "techniques", label: "Techniques" },
    { value: "actualites", label: "Actualités" },
  ],
  most_tags: 12,
  trash_days: 30,
  list_url: "/admin/blog",
};
const SANDING = {
  id: 7,
  title: "Poncer",
  title_en: "Sanding",
  excerpt: "Trois grains.",
  content: "De l'eau.",
  category: "techniques",
  author_name: "Alix",
  tags: ["Ponçage"],
  products: [],
  cover: null,
  state: "draft",
  published: false,
  publish_at: null,
  stale_texts: ["title_en"],
  url: null,
  preview_url: "/blog/apercu/a",
  created_at: "2026-11-01T10:00:00+01:00",
  updated_at: "2026-11-01T10:00:00.000001+01:00",
  trashed_at: null,
  autosave: null,
} as unknown as AdminArticle;

let stored: AdminArticle;
let answers: { status: number; body: unknown }[];
let sent: { method: string; path: string; body: Record<string, unknown> }[];
let keys: (string | undefined)[];
let held: Held | undefined;
const assign = vi.fn();

beforeEach(() => {
  stored = SANDING;
  answers = [];
  sent = [];
  keys = [];
  held = undefined;
  assign.mockReset();
  localStorage.clear();
  document.body.innerHTML = '<div id="toasts" data-close="Fermer"></div>';
  vi.stubGlobal("location", { ...location, href: "http://localhost/admin/blog/new", assign });
  vi.stubGlobal("fetch", async (path: string, { method = "GET", body, headers }: RequestInit = {}) => {
    if (path === "/api/me") return Response.json({ csrf_token: "token" });
    if (path.endsWith("/preview")) return Response.json({ html: "<p>Vu</p>", words: 1, minutes: 1 });
    if (method === "GET") return Response.json(stored);
    sent.push({ method, path, body: JSON.parse(String(body ?? "{}")) });
    if (method === "POST") keys.push((headers as Record<string, string>)["Idempotency-Key"]);
    await held;
    const answer = answers.shift() ?? { status: 200, body: stored };
    return answer.status === 204
      ? new Response(null, { status: 204 })
      : Response.json(answer.body, { status: answer.status });
  });
});
afterEach(() => vi.unstubAllGlobals());

const ofNew = () =>
  draftNames("article-new:").map((name) => readDraft<{ key: string; values: { title?: string } }>(name));
const calls = (method: string) => sent.filter((call) => call.method === method).map(({ body }) => body);

it("creates an article that is published at once, with tags each once", async () => {
  answers = [
    { status: 502, body: {} },
    { status: 201, body: { ...SANDING, id: 12 } },
  ];
  const { user, screen, container } = await renderStaff(<ArticleEditor {...PROPS} article_id={null} />);
  await user.click(screen.getByRole("button", { name: "Créer l'article" }));
  expect(sent).toEqual([]);
  expect(container.querySelectorAll(".field__error")).toHaveLength(3);
  await user.type(screen.getByLabelText(/^Titre/), "Vernir");
  await user.type(screen.getByLabelText(/^Extrait/), "Mat ou brillant.");
  await user.type(screen.getByLabelText(/^Contenu/), "Deux couches.");
  await screen.findByText("1 mot · 1 min de lecture");
  await user.type(screen.getByLabelText(/^Tags/), " vernis {Enter}Vernis{Enter}mat,{Enter}brillant{Enter}");
  await user.click(screen.getByRole("button", { name: "Retirer brillant" }));
  await barriers(container).then((found) => expect(found).toEqual([]));
  await waitFor(() => expect(ofNew()).toMatchObject([{ values: { tags: ["vernis", "mat"] } }]));
  const [{ key } = {}] = ofNew();
  await user.click(screen.getByRole("button", { name: "Créer l'article" }));
  await screen.findByText(/^Une erreur est survenue/);
  await user.click(await screen.findByRole("button", { name: "Créer l'article" }));
  await waitFor(() => expect(assign).toHaveBeenCalled());
  expect(keys).toEqual([key, key]);
  expect(String(assign.mock.lastCall?.[0])).toBe("http://localhost/admin/blog?cree=12");
  expect(calls("POST")[0]).toMatchObject({
    title: "Vernir",
    category: "actualites",
    author_name: "Alix",
    tags: ["vernis", "mat"],
    published: true,
    publish_at: null,
  });
  expect(ofNew()).toEqual([]);
});

it("keeps beside it what another tab types into another new article", async () => {
  const { user, screen } = await renderStaff(<ArticleEditor {...PROPS} article_id={null} />);
  writeDraft("article-new:theirs", { values: { title: "Peindre" }, base: "", at: Date.now() });
  await user.type(screen.getByLabelText(/^Titre/), "Vernir");
  await waitFor(() =>
    expect(ofNew()).toMatchObject([{ values: { title: "Peindre" } }, { values: { title: "Vernir" } }]),
  );
  // A third tab takes this one's over.
  const [, taken] = draftNames("article-new:");
  act(() => void dispatchEvent(new StorageEvent("storage", { key: `staff-draft:${taken}` })));
  await waitFor(() => expect(ofNew()).toHaveLength(3));
  await user.click(screen.getByRole("button", { name: "Annuler" }));
  await user.click(screen.getByRole("button", { name: "Jeter mes changements" }));
  await waitFor(() => expect(ofNew()).toHaveLength(2));
  expect(ofNew()).toMatchObject([{ values: { title: "Peindre" } }, { values: { title: "Vernir" } }]);
});

it("says to who is signed out that articles are made by who is signed in", async () => {
  answers = [{ status: 401, body: { code: "not_authenticated", detail: "" } }];
  const { user, screen } = await renderStaff(<ArticleEditor {...PROPS} article_id={null} />);
  await user.type(screen.getByLabelText(/^Titre/), "Vernir");
  await user.click(screen.getByLabelText("Publier immédiatement"));
  await user.click(screen.getByRole("button", { name: "Créer l'article" }));
  expect(await screen.findByText("Vous devez être connecté pour créer un article")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Se connecter dans un autre onglet" })).toBeTruthy();
  expect(screen.getByLabelText<HTMLInputElement>(/^Titre/).value).toBe("Vernir");
});

it("sends the address of a cover again under the same key", async () => {
  const picture = { id: 3, url: "/media/a.jpg", thumbnail_url: "/media/a.jpg", width: 80, height: 60 };
  answers = [
    { status: 502, body: {} },
    { status: 201, body: picture },
  ];
  const { user, screen } = await renderStaff(<ArticleEditor {...PROPS} article_id={null} />);
  await user.type(screen.getByLabelText("Adresse d'une image"), "https://example.com/pot.jpg{Enter}");
  await screen.findByText(/^Une erreur est survenue/);
  const add = screen.getByRole<HTMLButtonElement>("button", { name: "Ajouter" });
  await waitFor(() => expect(add.disabled).toBe(false));
  await user.click(add);
  await screen.findByRole("button", { name: "Retirer l'image" });
  expect(calls("POST")).toEqual([
    { url: "https://example.com/pot.jpg" },
    { url: "https://example.com/pot.jpg" },
  ]);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(keys[1]).toBe(keys[0]);
});

it("keeps what was typed into an article of the trash when it is restored", async () => {
  stored = { ...SANDING, trashed_at: "2026-11-02T10:00:00+01:00" } as unknown as AdminArticle;
  answers = [{ status: 200, body: SANDING }];
  const { user, screen } = await renderStaff(<ArticleEditor {...PROPS} />);
  const title = await screen.findByLabelText<HTMLInputElement>(/^Titre/);
  await user.type(title, " à l'eau");
  await user.click(screen.getByRole("button", { name: "Restaurer" }));
  await screen.findByRole("button", { name: "Enregistrer" });
  expect(title.value).toBe("Poncer à l'eau");
});

it("offers with a new article what was typed while it was being made", async () => {
  answers = [{ status: 201, body: { ...SANDING, id: 12 } }];
  held = hold();
  const { user, screen } = await renderStaff(<ArticleEditor {...PROPS} article_id={null} />);
  await user.type(screen.getByLabelText(/^Titre/), "Vernir");
  await user.type(screen.getByLabelText(/^Extrait/), "Mat.");
  await user.type(screen.getByLabelText(/^Contenu/), "Deux couches.");
  await user.click(screen.getByRole("button", { name: "Créer l'article" }));
  await user.type(screen.getByLabelText(/^Titre/), " à froid");
  held.arrive();
  await waitFor(() => expect(assign).toHaveBeenCalled());
  expect(calls("POST")[0]?.title).toBe("Vernir");
  const base = SANDING.updated_at;
  expect(readDraft("article-12")).toMatchObject({ values: { title: "Vernir à froid" }, base });
});

it("keeps what is typed on the server, and sends what changed with the version seen", async () => {
  answers = [{ status: 204, body: null }];
  const { user, screen } = await renderStaff(<ArticleEditor {...PROPS} />);
  await user.type(await screen.findByLabelText(/^Titre/), " à l'eau");
  await screen.findByText("Saisie gardée sur le serveur, pas encore enregistrée");
  expect(sent).toEqual([
    {
      method: "PUT",
      path: "/api/admin/posts/7/autosave",
      body: { title: "Poncer à l'eau", base_updated_at: SANDING.updated_at },
    },
  ]);
  answers = [{ status: 200, body: { ...SANDING, title: "Poncer à l'eau" } }];
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  // The notice says it to those who listen.
  expect((await screen.findByText("Tout est enregistré")).getAttribute("role")).toBeNull();
  expect(calls("PATCH")).toEqual([{ title: "Poncer à l'eau", expected_updated_at: SANDING.updated_at }]);
});

it("asks before it is left once another tab has typed into the article: the server keeps the last alone", async () => {
  const { user, screen } = await renderStaff(<ArticleEditor {...PROPS} />);
  await user.type(await screen.findByLabelText(/^Titre/), " à l'eau");
  await screen.findByText("Saisie gardée sur le serveur, pas encore enregistrée");
  const asks = () => !dispatchEvent(new Event("beforeunload", { cancelable: true }));
  await waitFor(() => expect(asks()).toBe(false));
  writeDraft("article-7", { values: { excerpt: "Deux." }, base: SANDING.updated_at, at: Date.now() });
  act(() => void dispatchEvent(new StorageEvent("storage", { key: "staff-draft:article-7" })));
  expect(asks()).toBe(true);
  expect(screen.getByText(/^Modifications non enregistrées\s: cet article est aussi modifié/)).toBeTruthy();
});

it("keeps nothing on the server of what was taken back by hand", async () => {
  answers = [1, 2, 3].map(() => ({ status: 204, body: null }));
  const { user, screen } = await renderStaff(<ArticleEditor {...PROPS} />);
  const title = await screen.findByLabelText<HTMLInputElement>(/^Titre/);
  await user.type(title, "!");
  await screen.findByText("Saisie gardée sur le serveur, pas encore enregistrée");
  await user.type(title, "{Backspace}");
  await screen.findByText("Tout est enregistré");
  await user.type(title, "?");
  await screen.findByText("Saisie gardée sur le serveur, pas encore enregistrée");
  expect(sent.map(({ method, path, body }) => [method, path, body.title])).toEqual([
    ["PUT", "/api/admin/posts/7/autosave", "Poncer!"],
    ["DELETE", "/api/admin/posts/7/autosave", undefined],
    ["PUT", "/api/admin/posts/7/autosave", "Poncer?"],
  ]);
});

it("sends what is typed after what was typed before has arrived", async () => {
  const { screen } = await renderStaff(<ArticleEditor {...PROPS} />);
  const title = await screen.findByLabelText(/^Titre/);
  vi.useFakeTimers();
  held = hold();
  const type = async (value: string) => {
    fireEvent.change(title, { target: { value } });
    await act(() => vi.advanceTimersByTimeAsync(2000));
  };
  await type("Un");
  await type("Un, deux");
  await type("Un, deux, trois");
  expect(calls("PUT").map((body) => body.title)).toEqual(["Un"]);
  expect(readDraft("article-7")).toMatchObject({ values: { title: "Un, deux, trois" } });
  held.arrive();
  await act(() => vi.advanceTimersByTimeAsync(0));
  expect(calls("PUT").map((body) => body.title)).toEqual(["Un", "Un, deux, trois"]);
  vi.useRealTimers();
  await screen.findByText("Saisie gardée sur le serveur, pas encore enregistrée");
});

it("shows both versions of a conflict and goes on from the fresh article", async () => {
  const theirs = { ...SANDING, title: "Le leur", excerpt: "Autre.", updated_at: "later" };
  answers = [
    { status: 409, body: { code: "conflict", detail: "Cet article a été modifié.", current: theirs } },
    { status: 200, body: theirs },
  ];
  const { user, screen } = await renderStaff(<ArticleEditor {...PROPS} />);
  await user.clear(await screen.findByLabelText(/^Titre/));
  await user.type(screen.getByLabelText(/^Titre/), "Le mien");
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  await screen.findByText("Quelqu'un a modifié cet article");
  expect(screen.getByText("Le leur")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Continuer avec ces choix" }));
  expect(screen.getByLabelText<HTMLInputElement>(/^Titre/).value).toBe("Le mien");
  expect(screen.getByLabelText<HTMLInputElement>(/^Extrait/).value).toBe("Autre.");
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  await waitFor(() => expect(calls("PATCH")).toHaveLength(2));
  expect(calls("PATCH")[1]).toEqual({ title: "Le mien", expected_updated_at: "later" });
});

it("asks of each value when a draft began with an older version", async () => {
  writeDraft("article-7", { values: { title: "D'hier" }, base: "older" });
  const { user, screen } = await renderStaff(<ArticleEditor {...PROPS} />);
  await screen.findByText("Quelqu'un a modifié cet article");
  await user.click(screen.getByLabelText(/La leur/));
  await user.click(screen.getByRole("button", { name: "Continuer avec ces choix" }));
  expect(screen.getByLabelText<HTMLInputElement>(/^Titre/).value).toBe("Poncer");
});

it.each([
  ["an hour ago", 3_600_000, "Poncer ailleurs"],
  ["a moment ago", 2_000, "Poncer ici"],
])("shows what another machine kept since over what this browser kept %s", async (_case, ago, title) => {
  const kept = { title: "Poncer ici", excerpt: "Quatre grains." };
  writeDraft("article-7", { values: kept, base: SANDING.updated_at, at: Date.now() - ago });
  const values = { title: "Poncer ailleurs" };
  const saved_at = new Date().toISOString();
  stored = {
    ...SANDING,
    autosave: { values, base_updated_at: SANDING.updated_at, saved_at },
  } as unknown as AdminArticle;
  const { screen } = await renderStaff(<ArticleEditor {...PROPS} />);
  const shown = (label: RegExp) => screen.getByLabelText<HTMLInputElement>(label).value;
  await screen.findByLabelText(/^Titre/);
  expect([shown(/^Titre/), shown(/^Extrait/)]).toEqual([title, "Quatre grains."]);
  await waitFor(() => expect(sent).toHaveLength(1), { timeout: 4000 });
  expect(calls("PUT")).toEqual([{ ...kept, title, base_updated_at: SANDING.updated_at }]);
});

it("marks the translations that the French left behind, until one is called right", async () => {
  const { user, screen } = await renderStaff(<ArticleEditor {...PROPS} />);
  await user.click(await screen.findByRole("button", { name: "Anglais (1 à revoir)" }));
  await user.click(screen.getByRole("button", { name: "Elle est toujours juste" }));
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  await waitFor(() =>
    expect(calls("PATCH")).toEqual([
      { confirmed_texts: ["title_en"], expected_updated_at: SANDING.updated_at },
    ]),
  );
});

it("keeps a picture on its way when another language is looked at, and asks for it there", async () => {
  const picture = { id: 3, url: "/media/a.jpg", thumbnail_url: "/media/a.jpg", width: 80, height: 60 };
  const sent = hold();
  vi.spyOn(sending, "sendFile").mockReturnValueOnce(sent.then(() => picture));
  vi.spyOn(shrinking, "shrink").mockImplementation(async (file) => file);
  URL.createObjectURL = () => "blob:preview";
  URL.revokeObjectURL = () => undefined;
  const { user, screen } = await renderStaff(<ArticleEditor {...PROPS} />);
  const press = async (group: string, name: RegExp) =>
    user.click(within(await screen.findByRole("group", { name: group })).getByRole("button", { name }));
  await press("Langue", /^Anglais/);
  await press("Ce qui est montré", /^Français/);
  const chooser = screen.getByLabelText("Image", { selector: "input" });
  await act(async () => fireEvent.change(chooser, { target: { files: [new File(["x"], "pot.jpg")] } }));
  await press("Langue", /^Français/);
  expect(screen.getByText("pot.jpg")).toBeTruthy();
  expect(screen.getByRole("region", { name: "Aperçu" })).toBeTruthy();
  await act(async () => sent.arrive());
  await user.click(await screen.findByRole("button", { name: "Insérer l'image" }));
  // Nobody has put the cursor elsewhere.
  expect(screen.getByLabelText<HTMLTextAreaElement>(/^Contenu/).value).toBe("![](/media/a.jpg)\n\nDe l'eau.");
});

it("shows the language of what can't be saved, and the address that is folded away", async () => {
  const { user, screen } = await renderStaff(<ArticleEditor {...PROPS} />);
  const languages = within(await screen.findByRole("group", { name: "Langue" }));
  const isShown = (name: string) =>
    languages.getByRole("button", { name: new RegExp(name) }).getAttribute("aria-pressed") === "true";
  await user.clear(screen.getByLabelText(/^Titre/));
  await user.click(languages.getByRole("button", { name: "Allemand" }));
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  expect([isShown("Français"), isShown("Allemand")]).toEqual([true, false]);
  expect(document.activeElement).toBe(screen.getByLabelText(/^Titre/));
  await user.type(screen.getByLabelText(/^Titre/), "Poncer");
  answers = [{ status: 400, body: { code: "invalid", errors: { slug_de: ["Lettres et chiffres."] } } }];
  await user.type(screen.getByLabelText(/^Extrait/), " Encore.");
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  await waitFor(() => expect(document.activeElement?.closest("details")?.open).toBe(true));
  expect(document.activeElement).toBe(screen.getByLabelText(/^Identifiant d'adresse/));
  expect(isShown("Allemand")).toBe(true);
});

it("puts the cursor in the field of the pieces or tags that the server refuses, and names why", async () => {
  const { user, screen } = await renderStaff(<ArticleEditor {...PROPS} />);
  for (const [name, label] of [
    ["products", "Pièces montrées sous l'article"],
    ["tags", "Tags"],
  ] as const) {
    answers = [{ status: 400, body: { code: "invalid", errors: { [name]: ["Elle n'existe plus."] } } }];
    await user.type(await screen.findByLabelText(/^Extrait/), " Encore.");
    await user.click(screen.getByRole("button", { name: "Enregistrer" }));
    const field = await screen.findByRole(name === "products" ? "searchbox" : "textbox", {
      name: new RegExp(`^${label}`),
      description: /Elle n'existe plus\.$/,
    });
    await waitFor(() => expect(document.activeElement).toBe(field));
    expect(field.getAttribute("aria-invalid")).toBe("true");
  }
});
