import { act, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ApiProblem } from "@/lib/api";
import { renderStaff } from "@/testing/staff";
import * as sending from "../pictures/send";
import * as shrinking from "../pictures/shrink";
import { PiecePhotosDialog } from "./dialog";

const photo = {
  id: 4,
  url: "/api/photos/4:x",
  width: 60,
  height: 40,
  taken_at: "2026-11-23T10:00:00Z",
  author: "Camille",
  message: "",
  sent_at: null,
};
let calls: object[];
let refusals: number;
let isSignedOut: boolean;
let photos: object[];

beforeEach(() => {
  document.body.innerHTML = '<div id="toasts"></div>';
  calls = [];
  refusals = 0;
  isSignedOut = false;
  photos = [photo];
  vi.stubGlobal("fetch", async (address: string, options: RequestInit = {}) => {
    if (address.startsWith("/api/me")) return Response.json({ csrf_token: "x" });
    if (options.method === "DELETE" && isSignedOut)
      return Response.json({ code: "not_authenticated", detail: "" }, { status: 401 });
    if (options.method === "DELETE") return new Response(null, { status: 204 });
    if (options.method === "POST") {
      calls.push({ address, ...JSON.parse(String(options.body)) });
      if (address.endsWith("/send") && refusals-- > 0)
        return Response.json({ code: "busy", detail: "Réessayez dans un instant." }, { status: 503 });
      return Response.json(
        address.endsWith("?preview")
          ? {
              mails: [{ to: "lea@example.com", language: "de", subject: "Ihr Stück", html: "<p>Fertig</p>" }],
            }
          : { ...photo, sent_at: "2026-11-23T10:05:00Z" },
      );
    }
    return Response.json({ id: 7, name: "Golem", to: "lea@example.com", language: "de", photos });
  });
});
afterEach(() => vi.unstubAllGlobals());

const PIECE = { id: 7, name: "Golem", detail: "Peint" };

it("shows the mail before the photo goes, and sends it with the message", async () => {
  const close = vi.fn();
  const { user, screen } = await renderStaff(<PiecePhotosDialog piece={PIECE} onClose={close} />);
  await user.type(await screen.findByLabelText(/Votre message/), "Bravo");
  const ask = vi.spyOn(window, "confirm").mockReturnValue(false);
  await user.click(screen.getByRole("button", { name: "Fermer" }));
  expect(ask).toHaveBeenCalledOnce();
  expect(close).not.toHaveBeenCalled();
  // Asked for in a dialog of its own, which leaves the message as typed.
  await user.click(screen.getByRole("button", { name: "Supprimer" }));
  const asked = screen.getByRole("dialog", { name: "Supprimer la photo" });
  await user.click(within(asked).getByRole("button", { name: "Supprimer" }));
  await waitFor(() => expect(asked.isConnected).toBe(false));
  expect(document.activeElement?.tagName).toBe("H2");
  await user.click(screen.getByRole("button", { name: "Fermer" }));
  expect(ask).toHaveBeenCalledTimes(2);
  // Whoever closes the chooser of files chooses none, and stays.
  document.querySelector("input[type=file]")?.dispatchEvent(new Event("cancel", { bubbles: true }));
  expect(ask).toHaveBeenCalledTimes(2);
  expect(close).not.toHaveBeenCalled();
  // With these a phone turns its own format into one that the shop takes.
  expect(document.querySelector<HTMLInputElement>("input[type=file]")?.accept).toBe(
    "image/jpeg,image/png,image/webp",
  );
  await user.click(screen.getByRole("button", { name: "Voir l'e-mail" }));
  expect(await screen.findByText(/lea@example\.com.*Ihr Stück/)).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Envoyer au client" }));
  expect(await screen.findByText("lea@example.com la reçoit dans une minute.")).toBeTruthy();
  expect(calls).toEqual([
    { address: "/api/admin/photos/4/send?preview", message: "Bravo" },
    { address: "/api/admin/photos/4/send", message: "Bravo" },
  ]);
  expect(close).toHaveBeenCalledOnce();
});

it("sends the photo of the mail that was read, though another was taken since", async () => {
  const { user, screen } = await renderStaff(<PiecePhotosDialog piece={PIECE} onClose={() => undefined} />);
  await user.click(await screen.findByRole("button", { name: "Voir l'e-mail" }));
  const confirm = await screen.findByRole("button", { name: "Envoyer au client" });
  photos = [photo, { ...photo, id: 5 }];
  const read = vi.spyOn(window, "fetch");
  await act(async () => void dispatchEvent(new Event("visibilitychange")));
  await waitFor(() => expect(read).toHaveResolved());
  await user.click(confirm);
  await waitFor(() => expect(calls).toHaveLength(2));
  expect(calls[1]).toEqual({ address: "/api/admin/photos/4/send", message: "" });
});

it("shows the mail again without the refusal that was read before", async () => {
  refusals = 1;
  const { user, screen } = await renderStaff(<PiecePhotosDialog piece={PIECE} onClose={() => undefined} />);
  await user.click(await screen.findByRole("button", { name: "Voir l'e-mail" }));
  await user.click(await screen.findByRole("button", { name: "Envoyer au client" }));
  expect((await screen.findByRole("alert")).textContent).toContain("Réessayez dans un instant.");
  await user.click(screen.getByRole("button", { name: "Voir l'e-mail" }));
  expect(await screen.findByRole("button", { name: "Envoyer au client" })).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
});

it("says beside the photo why it was not removed, with the way to sign in, until it is tried again", async () => {
  isSignedOut = true;
  const { user, screen } = await renderStaff(<PiecePhotosDialog piece={PIECE} onClose={() => undefined} />);
  const remove = async () => {
    await user.click(await screen.findByRole("button", { name: "Supprimer" }));
    const asked = within(screen.getByRole("dialog", { name: "Supprimer la photo" }));
    await user.click(asked.getByRole("button", { name: "Supprimer" }));
  };
  await remove();
  // The page behind an open dialog can't be reached: a notice there neither closes nor leads anywhere.
  const refused = within(screen.getByRole("dialog", { name: /Golem \(Peint\)$/ }));
  expect((await refused.findByRole("alert")).textContent).toContain("La photo n'est pas supprimée");
  expect(refused.getByRole("link", { name: "Se connecter dans un autre onglet" })).toBeTruthy();
  isSignedOut = false;
  await remove();
  await waitFor(() => expect(refused.queryByRole("alert")).toBeNull());
});

it("sends a photo again under the same key after a lost answer, another one under its own", async () => {
  vi.spyOn(shrinking, "shrink").mockImplementation(async (file) => file);
  const send = vi.spyOn(sending, "sendFile").mockRejectedValue(new ApiProblem(0, "network", ""));
  const { user, screen } = await renderStaff(<PiecePhotosDialog piece={PIECE} onClose={() => undefined} />);
  const chooser = document.querySelector("input[type=file]") as HTMLInputElement;
  const golem = () => new File(["golem"], "golem.jpg", { type: "image/jpeg", lastModified: 1 });
  const tried = (times: number) => waitFor(() => expect(send).toHaveBeenCalledTimes(times));
  await user.upload(chooser, golem());
  await user.click(await screen.findByRole("button", { name: "Réessayer" }));
  await tried(2);
  await screen.findByRole("button", { name: "Réessayer" });
  await user.upload(chooser, golem());
  await tried(3);
  await screen.findByRole("button", { name: "Réessayer" });
  await user.upload(chooser, new File(["owl"], "owl.jpg", { type: "image/jpeg" }));
  await tried(4);
  const [first, again, chosen, other] = send.mock.calls.map(([, , , key]) => key);
  expect(first).toMatch(/.{16}/);
  expect([again, chosen, other === first]).toEqual([first, first, false]);
});
