import { act, fireEvent } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { renderStaff } from "@/testing/staff";
import * as sending from "../pictures/send";
import * as shrinking from "../pictures/shrink";
import { ContentEditor } from "./content-editor";

it("asks of each of two pictures what it shows, with empty fields", async () => {
  document.body.innerHTML = '<div id="toasts" data-close="Fermer"></div>';
  const picture = (id: number, url: string) => ({ id, url, thumbnail_url: url, width: 80, height: 60 });
  vi.spyOn(sending, "sendFile")
    .mockResolvedValueOnce(picture(3, "/media/a.jpg"))
    .mockResolvedValueOnce(picture(4, "/media/b.jpg"));
  vi.spyOn(shrinking, "shrink").mockImplementation(async (file) => file);
  URL.createObjectURL = () => "blob:preview";
  URL.revokeObjectURL = () => undefined;
  const change = vi.fn();
  const { user, screen } = await renderStaff(
    <ContentEditor
      language="fr"
      value=""
      source={undefined}
      error={undefined}
      note={null}
      onChange={change}
    />,
  );
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
