import { act, fireEvent, renderHook, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { StaffGallery, StaffPhoto } from "@/api/types";
import { emit, listen } from "@/lib/events";
import { forgetMe } from "@/lib/me";
import { type Held, hold } from "@/testing/held";
import { renderStaff } from "@/testing/staff";
import { readDraft, writeDraft } from "../shared/drafts";
import { Pictures } from "./pictures";
import { sendFile } from "./send";
import { useUploads } from "./use-uploads";

const sent: { method: string; path: string; body: unknown }[] = [];
let gallery: StaffGallery;
let refusal: { status: number; body: Record<string, unknown> } | undefined;
let held: Held | undefined;

function photo(id: number, fields: Partial<StaffPhoto> = {}): StaffPhoto {
  return {
    id,
    url: `/media/${id}.jpg`,
    thumbnail_url: `/media/${id}-360.webp`,
    width: 1200,
    height: 900,
    alt: `Ours ${id}`,
    alt_en: "",
    alt_es: "",
    alt_de: "",
    finish: "" as StaffPhoto["finish"],
    variation_id: null,
    crop: null,
    focus: null,
    focus_class: "",
    whole: { url: `/media/${id}.jpg`, width: 1200, height: 900 },
    version: `v${id}`,
    ...fields,
  };
}

beforeEach(() => {
  forgetMe();
  localStorage.clear();
  sent.length = 0;
  refusal = undefined;
  held = undefined;
  gallery = { images: [1, 2, 3].map((id) => photo(id)), formats: [], offers_finishes: true, most: 40 };
  vi.stubGlobal("fetch", async (path: string, options: RequestInit = {}) => {
    const method = options.method ?? "GET";
    const answer = (body: unknown, status = 200) =>
      new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });
    if (path === "/api/me") return answer({ csrf_token: "token" });
    if (method === "GET") return answer(gallery);
    const body = JSON.parse(String(options.body));
    sent.push({ method, path, body });
    if (method !== "POST") await held;
    if (refusal) return answer(refusal.body, refusal.status);
    if (path.endsWith("/order")) {
      const rows = body.ids.map((id: number) => gallery.images.find((each) => each.id === id));
      gallery = { ...gallery, images: rows };
      return answer(gallery);
    }
    if (method === "POST") return answer(photo(4), 201);
    return answer(photo(2, body));
  });
  document.body.innerHTML = '<div id="toasts" popover="manual" data-close="Fermer"></div>';
});

afterEach(() => vi.unstubAllGlobals());

async function draw(canEdit = true) {
  const drawn = await renderStaff(<Pictures product_id={7} can_edit={canEdit} />);
  const list = await drawn.screen.findByRole("list", { name: "Photos du produit, dans l'ordre" });
  const shown = () => [...list.querySelectorAll(".photo__alt")].map(({ textContent }) => textContent);
  return { ...drawn, shown };
}

test("the order is moved by buttons and keys, and sent when it is saved", async () => {
  const told: number[] = [];
  onTestFinished(listen("product:changed", ({ productId }) => told.push(productId)));
  const { user, screen, shown } = await draw();
  await user.click(screen.getByRole("button", { name: "Descendre : Photo 1" }));
  expect(shown()).toEqual(["Ours 2", "Ours 1", "Ours 3"]);
  screen.getByRole("button", { name: "Monter : Photo 3" }).focus();
  await user.keyboard("{Home}");
  expect(shown()).toEqual(["Ours 3", "Ours 2", "Ours 1"]);
  expect(screen.getByText("Photo en position 1 sur 3")).toBeTruthy();
  expect([sent, told]).toEqual([[], []]);
  await user.click(screen.getByRole("button", { name: "Sauvegarder l'ordre" }));
  await waitFor(() => expect(screen.queryByRole("button", { name: "Sauvegarder l'ordre" })).toBeNull());
  expect(sent).toEqual([
    {
      method: "PUT",
      path: "/api/admin/products/7/images/order",
      body: { ids: [3, 2, 1], removed_ids: [], seen_ids: [1, 2, 3] },
    },
  ]);
  expect(told).toEqual([7]);
});

test("a format that was added beside the photos can be chosen for one, and no photo comes or goes", async () => {
  const { user, screen, shown } = await draw();
  await user.click(screen.getByRole("button", { name: "Descendre : Photo 1" }));
  const formats = [{ id: 5, name: "Grand" }];
  gallery = { ...gallery, images: [], formats };
  act(() => emit("product:changed", { productId: 7, by: "variants" }));
  await user.click(screen.getByRole("button", { name: "Modifier : Photo 1" }));
  await screen.findByRole("option", { name: "Grand" });
  expect(shown()).toEqual(["Ours 2", "Ours 1", "Ours 3"]);
});

test("what is moved and added while the order is on its way stays", async () => {
  const { user, screen, shown } = await draw();
  held = hold();
  await user.click(screen.getByRole("button", { name: "Descendre : Photo 1" }));
  const save = screen.getByRole("button", { name: "Sauvegarder l'ordre" });
  await user.click(save);
  await user.click(screen.getByRole("button", { name: "Choisir comme photo principale : Photo 3" }));
  await user.type(screen.getByRole("textbox"), "https://example.com/4.jpg{Enter}");
  await waitFor(() => expect(shown()).toEqual(["Ours 3", "Ours 2", "Ours 1", "Ours 4"]));
  held.arrive();
  await waitFor(() => expect(save).toHaveProperty("disabled", false));
  expect(shown()).toEqual(["Ours 3", "Ours 2", "Ours 1", "Ours 4"]);
  expect(screen.getByText(/^L'ordre a changé\s: il n'est pas encore enregistré\.$/)).toBeTruthy();
  await user.click(save);
  await waitFor(() => expect(sent).toHaveLength(3));
  expect(sent[2]?.body).toEqual({ ids: [3, 2, 1, 4], removed_ids: [], seen_ids: [2, 1, 3, 4] });
});

test("what was moved and removed comes back", async () => {
  const { user, screen, shown } = await draw();
  await user.click(screen.getByRole("button", { name: "Choisir comme photo principale : Photo 3" }));
  await user.click(screen.getByRole("button", { name: "Retirer : Photo 2" }));
  expect(shown()).toEqual(["Ours 3", "Ours 2"]);
  await user.click(screen.getByRole("button", { name: "Annuler les modifications" }));
  expect(shown()).toEqual(["Ours 1", "Ours 2", "Ours 3"]);
  expect(sent).toEqual([]);
});

test("keys go on where the photo or the bar was that left", async () => {
  const { user, screen } = await draw();
  const focused = () =>
    document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent;
  screen.getByRole("button", { name: "Retirer : Photo 1" }).focus();
  await user.keyboard("{Enter}");
  expect(screen.getAllByRole("button", { name: /^Retirer/ })).toHaveLength(2);
  expect(focused()).toBe("Modifier : Photo 1");
  screen.getByRole("button", { name: "Annuler les modifications" }).focus();
  await user.keyboard("{Enter}");
  expect(screen.queryByRole("button", { name: "Annuler les modifications" })).toBeNull();
  expect(focused()).toBe("Monter : Photo 3");
});

test("photos that came meanwhile are shown, and the chosen order stays", async () => {
  const { user, screen, shown } = await draw();
  await user.click(screen.getByRole("button", { name: "Choisir comme photo principale : Photo 3" }));
  const current = { ...gallery, images: [1, 2, 3, 4].map((id) => photo(id)) };
  refusal = { status: 409, body: { code: "conflict", detail: "Modifiées entre-temps.", current } };
  await user.click(screen.getByRole("button", { name: "Sauvegarder l'ordre" }));
  await waitFor(() => expect(shown()).toEqual(["Ours 3", "Ours 1", "Ours 2", "Ours 4"]));
  expect(document.querySelector(".toast--error")?.textContent).toContain("Modifiées entre-temps.");
});

test("a photo that was added while an order was being refused stays", async () => {
  const { user, screen, shown } = await draw();
  held = hold();
  await user.click(screen.getByRole("button", { name: "Choisir comme photo principale : Photo 3" }));
  await user.click(screen.getByRole("button", { name: "Sauvegarder l'ordre" }));
  await user.type(screen.getByRole("textbox"), "https://example.com/4.jpg{Enter}");
  await waitFor(() => expect(shown()).toEqual(["Ours 3", "Ours 1", "Ours 2", "Ours 4"]));
  const current = { ...gallery, images: [1, 3].map((id) => photo(id)) };
  refusal = { status: 409, body: { code: "conflict", detail: "Modifiées entre-temps.", current } };
  held.arrive();
  await waitFor(() => expect(shown()).toEqual(["Ours 3", "Ours 1", "Ours 4"]));
});

test("a photo is described in four languages, and what was typed is kept until it is saved", async () => {
  const { user, screen, unmount } = await draw();
  await user.click(screen.getByRole("button", { name: "Modifier : Photo 2" }));
  const dialog = within(screen.getByRole("dialog"));
  await user.clear(dialog.getByLabelText("Allemand"));
  await user.type(dialog.getByLabelText("Allemand"), "Ein Bär");
  await user.selectOptions(dialog.getByLabelText("Finition"), "painted");
  unmount();
  gallery = { ...gallery, images: [photo(1), { ...photo(2), version: "v3" }, photo(3)] };
  const look = async () => {
    const page = await draw();
    await page.user.click(page.screen.getByRole("button", { name: "Modifier : Photo 2" }));
    return page;
  };
  // Whoever only looked is told again.
  (await look()).unmount();
  const again = await look();
  const second = within(again.screen.getByRole("dialog"));
  expect((second.getByLabelText("Allemand") as HTMLInputElement).value).toBe("Ein Bär");
  expect(second.getByRole("alert").textContent).toContain("Quelqu'un a modifié cette photo entre-temps");
  fireEvent.change(second.getByLabelText("De haut en bas"), { target: { value: "10" } });
  await again.user.click(second.getByRole("button", { name: "Enregistrer la photo" }));
  await waitFor(() => expect(again.screen.queryByRole("dialog")).toBeNull());
  expect(sent).toEqual([
    {
      method: "PATCH",
      path: "/api/admin/products/7/images/2",
      body: { alt_de: "Ein Bär", finish: "painted", focus: { x: 50, y: 10 }, version: "v3" },
    },
  ]);
  expect(localStorage.getItem("staff-draft:photo-2")).toBeNull();
});

test("what another tab types of a photo stays in the draft until that tab saves it", async () => {
  const { user, screen } = await draw();
  await user.click(screen.getByRole("button", { name: "Modifier : Photo 2" }));
  const dialog = within(screen.getByRole("dialog"));
  const theirs = { version: "v2", fields: { alt_en: "A bear" } };
  writeDraft("photo-2", theirs);
  await user.type(dialog.getByLabelText("Allemand"), "Ein Bär");
  expect(readDraft("photo-2")).toEqual({ version: "v2", fields: { alt_en: "A bear", alt_de: "Ein Bär" } });
  await user.click(dialog.getByRole("button", { name: "Enregistrer la photo" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(sent.map(({ body }) => body)).toEqual([{ alt_de: "Ein Bär", version: "v2" }]);
  expect(readDraft("photo-2")).toEqual(theirs);
});

test("what is typed of a photo while the rest is on its way stays to be saved", async () => {
  const { user, screen } = await draw();
  await user.click(screen.getByRole("button", { name: "Modifier : Photo 2" }));
  const dialog = within(screen.getByRole("dialog"));
  const save = dialog.getByRole("button", { name: "Enregistrer la photo" });
  await user.type(dialog.getByLabelText("Allemand"), "Ein Bär");
  held = hold();
  await user.click(save);
  await user.type(dialog.getByLabelText("Anglais"), "A bear");
  held.arrive();
  await waitFor(() => expect(save.getAttribute("aria-busy")).toBe("false"));
  await user.click(save);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(sent.map(({ body }) => body)).toEqual([
    { alt_de: "Ein Bär", version: "v2" },
    { alt_en: "A bear", version: "v2" },
  ]);
});

test("a photo that is saved again after a conflict keeps what somebody else wrote of it", async () => {
  const { user, screen } = await draw();
  await user.click(screen.getByRole("button", { name: "Modifier : Photo 2" }));
  const dialog = within(screen.getByRole("dialog"));
  await user.type(dialog.getByLabelText("Allemand"), "Ein Bär");
  const current = photo(2, { alt_en: "A bear", alt_de: "Bär", version: "v3" });
  refusal = { status: 409, body: { code: "conflict", detail: "Modifiée entre-temps.", current } };
  const save = dialog.getByRole("button", { name: "Enregistrer la photo" });
  await user.click(save);
  await waitFor(() => expect(dialog.getByRole("alert").textContent).toContain("entre-temps"));
  expect(dialog.getByLabelText<HTMLInputElement>("Anglais").value).toBe("A bear");
  refusal = undefined;
  await user.click(save);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(sent.map(({ body }) => body)).toEqual([
    { alt_de: "Ein Bär", version: "v2" },
    { alt_de: "Ein Bär", version: "v3" },
  ]);
});

test("a photo that a session's end keeps from being saved leads to where people sign in", async () => {
  const { user, screen } = await draw();
  await user.click(screen.getByRole("button", { name: "Modifier : Photo 2" }));
  const dialog = within(screen.getByRole("dialog"));
  await user.type(dialog.getByLabelText("Allemand"), "Ein Bär");
  refusal = { status: 401, body: { code: "not_authenticated", detail: "" } };
  await user.click(dialog.getByRole("button", { name: "Enregistrer la photo" }));
  const link = within(await dialog.findByRole("alert")).getByRole("link");
  expect([link.getAttribute("href"), link.getAttribute("target")]).toEqual(["/auth?next=%2F", "_blank"]);
  expect(dialog.getByLabelText<HTMLInputElement>("Allemand").value).toBe("Ein Bär");
});

test("a file that is no picture is named with the reason and sends nothing", async () => {
  URL.createObjectURL = () => "blob:preview";
  URL.revokeObjectURL = () => undefined;
  // jsdom reads blobs in the old way alone.
  Blob.prototype.arrayBuffer = function (this: Blob) {
    return new Promise((done) => {
      const reader = new FileReader();
      reader.onload = () => done(reader.result as ArrayBuffer);
      reader.readAsArrayBuffer(this);
    });
  };
  const { screen } = await draw();
  const chooser = screen.getByLabelText("Ajouter des photos", { selector: "input" });
  const files = [
    new File(["GIF89a"], "ours.gif", { type: "image/gif" }),
    new File(["%PDF-1.7"], "ours.jpg", { type: "image/jpeg" }),
  ];
  await act(async () => fireEvent.change(chooser, { target: { files } }));
  expect(await screen.findByText("Type de fichier non supporté")).toBeTruthy();
  expect(await screen.findByText("Fichier invalide")).toBeTruthy();
  expect(sent).toEqual([]);
});

test("leaving asks while a picture is on its way", async () => {
  URL.createObjectURL = () => "blob:preview";
  URL.revokeObjectURL = () => undefined;
  const { result, unmount } = renderHook(() => useUploads("/api/x", () => undefined));
  const asks = () => !dispatchEvent(new Event("beforeunload", { cancelable: true }));
  expect(asks()).toBe(false);
  await act(async () => {
    result.current.add([new File(["%PDF-1.7"], "ours.jpg", { type: "image/jpeg" })]);
    await Promise.resolve();
  });
  expect(asks()).toBe(true);
  // It is no picture.
  await waitFor(() => expect(asks()).toBe(false));
  unmount();
});

test("a picture that nothing answers is given up, and can be sent again", async () => {
  let request: XMLHttpRequest | undefined;
  vi.spyOn(XMLHttpRequest.prototype, "send").mockImplementation(function (this: XMLHttpRequest) {
    request = this;
  });
  const header = vi.spyOn(XMLHttpRequest.prototype, "setRequestHeader");
  const size = 100_000;
  const call = sendFile("/api/x", new File(["x".repeat(size)], "ours.jpg"), () => undefined, "k1");
  const ended = expect(call).rejects.toMatchObject({ status: 0, code: "network" });
  await waitFor(() => expect(request?.timeout).toBe(50_000));
  expect(header.mock.calls).toContainEqual(["Idempotency-Key", "k1"]);
  request?.dispatchEvent(new ProgressEvent("timeout"));
  await ended;
});

test("who may only look is shown no way to change", async () => {
  const { screen, shown } = await draw(false);
  expect(shown()).toEqual(["Ours 1", "Ours 2", "Ours 3"]);
  expect(screen.queryByRole("button")).toBeNull();
});
