import { act, fireEvent } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { ApiProblem } from "@/lib/api";
import { renderStaff } from "@/testing/staff";
import * as sending from "../pictures/send";
import * as shrinking from "../pictures/shrink";
import { ContentEditor } from "./content-editor";
import { asBlock, pictureMarkdown, prefixLines, wrap } from "./markdown";
import { PictureDialog } from "./picture-dialog";

const picture = (id: number, url: string) => ({ id, url, thumbnail_url: url, width: 80, height: 60 });

async function draw(change: (value: string) => void = vi.fn()) {
  vi.spyOn(shrinking, "shrink").mockImplementation(async (file) => file);
  URL.createObjectURL = () => "blob:preview";
  URL.revokeObjectURL = () => undefined;
  return renderStaff(
    <ContentEditor
      language="fr"
      value=""
      source={undefined}
      error={undefined}
      note={null}
      onChange={change}
    />,
  );
}

it("asks of each of two pictures what it shows, with empty fields", async () => {
  document.body.innerHTML = '<div id="toasts" data-close="Fermer"></div>';
  vi.spyOn(sending, "sendFile")
    .mockResolvedValueOnce(picture(3, "/media/a.jpg"))
    .mockResolvedValueOnce(picture(4, "/media/b.jpg"));
  const change = vi.fn();
  const { user, screen } = await draw(change);
  const chooser = screen.getByLabelText("Image", { selector: "input" });
  const files = [new File(["x"], "a.jpg"), new File(["y"], "b.jpg")];
  await act(async () => fireEvent.change(chooser, { target: { files } }));
  await user.type(await screen.findByLabelText(/^Texte alternatif/), "Un pot");
  await user.type(screen.getByLabelText(/^Légende/), "Au four");
  await user.click(screen.getByRole("button", { name: "Insérer l'image" }));
  expect(change).toHaveBeenLastCalledWith(expect.stringContaining('![Un pot](/media/a.jpg "Au four")'));
  const fields = [screen.getByLabelText(/^Texte alternatif/), screen.getByLabelText(/^Légende/)];
  expect(fields.map((field) => (field as HTMLInputElement).value)).toEqual(["", ""]);
  await user.click(screen.getByRole("button", { name: "Insérer l'image" }));
  expect(change).toHaveBeenLastCalledWith(expect.stringContaining("![](/media/b.jpg)"));
  expect(screen.queryByRole("dialog")).toBeNull();
});

it("writes Markdown where the cursor is", () => {
  document.body.innerHTML = "<textarea></textarea>";
  const field = document.querySelector("textarea") as HTMLTextAreaElement;
  const written = (start: string, from: number, to: number, write: () => void) => {
    fireEvent.change(field, { target: { value: start } });
    field.setSelectionRange(from, to);
    write();
    return field.value;
  };
  expect(written("un mot", 3, 6, () => wrap(field, "**", "texte"))).toBe("un **mot**");
  expect(written("un mot bleu", 3, 7, () => wrap(field, "**", "texte"))).toBe("un **mot** bleu");
  expect(written("un  mot", 3, 3, () => wrap(field, "*", "texte"))).toBe("un *texte* mot");
  expect(written("a\nb\nc", 2, 5, () => prefixLines(field, "- "))).toBe("a\n- b\n- c");
  expect(written("a\nb", 1, 1, () => asBlock(field, "![x](y)"))).toBe("a\n\n![x](y)\n\nb");
  expect(pictureMarkdown("/media/a.jpg", "Un [pot]", 'Le "bleu"')).toBe(
    '![Un \\[pot\\]](/media/a.jpg "Le \\"bleu\\"")',
  );
});

it("asks before it drops what somebody typed about a picture", async () => {
  const close = vi.fn();
  const { user, screen } = await renderStaff(
    <PictureDialog picture={picture(3, "/media/a.jpg")} onInsert={vi.fn()} onClose={close} />,
  );
  const ask = vi.spyOn(window, "confirm").mockReturnValueOnce(false).mockReturnValueOnce(true);
  await user.type(screen.getByLabelText(/Légende/), "Au four");
  await user.click(screen.getByRole("button", { name: "Fermer" }));
  expect(close).not.toHaveBeenCalled();
  await user.click(screen.getByRole("button", { name: "Fermer" }));
  expect([ask.mock.calls.length, close.mock.calls.length]).toEqual([2, 1]);
});

it("sends a picture of the text again that did not arrive, then asks what it shows", async () => {
  const send = vi.spyOn(sending, "sendFile");
  send
    .mockRejectedValueOnce(new ApiProblem(0, "network", ""))
    .mockResolvedValueOnce(picture(3, "/media/a.jpg"));
  const { user, screen } = await draw();
  const chooser = screen.getByLabelText("Image", { selector: "input" });
  await act(async () => fireEvent.change(chooser, { target: { files: [new File(["x"], "pot.jpg")] } }));
  expect(screen.getByText("pot.jpg")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Réessayer" }));
  expect(await screen.findByRole("dialog", { name: "Image dans le texte" })).toBeTruthy();
  expect(screen.queryByText("pot.jpg")).toBeNull();
  expect(send.mock.calls.map(([address, file]) => [address, file.name])).toEqual([
    ["/api/admin/posts/pictures", "pot.jpg"],
    ["/api/admin/posts/pictures", "pot.jpg"],
  ]);
  // Stored once, though it had arrived.
  expect(new Set(send.mock.calls.map(([, , , key]) => key)).size).toBe(1);
});

it("pastes the paragraphs of a document, not the picture of them that Word puts beside", async () => {
  const send = vi.spyOn(sending, "sendFile").mockResolvedValue(picture(3, "/media/a.jpg"));
  const change = vi.fn();
  const { screen } = await draw(change);
  const paste = (data: Record<string, string>) =>
    // False where the browser's own pasting is stopped.
    fireEvent.paste(screen.getByLabelText(/^Contenu/), {
      clipboardData: {
        types: [...Object.keys(data), "Files"],
        getData: (type: string) => data[type] ?? "",
        files: [new File(["x"], "image.png", { type: "image/png" })],
      },
    });
  expect(paste({ "text/plain": "Un\r\nDeux", "text/html": "<p>Un</p><p>Deux</p>" })).toBe(false);
  expect(change).toHaveBeenLastCalledWith("Un\n\nDeux");
  expect(paste({ "text/plain": "12\t13", "text/html": "<table></table>" })).toBe(true);
  expect(send).not.toHaveBeenCalled();
  // Copied from a page, and from a folder of a Mac: a picture.
  await act(async () => expect(paste({ "text/html": "<img>" })).toBe(false));
  await act(async () => expect(paste({ "text/plain": "pot.png" })).toBe(false));
  expect(send).toHaveBeenCalledTimes(2);
});
