import { act } from "@testing-library/react";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import { renderStaff } from "@/testing/staff";
import { Confirm, Dialog } from "./dialog";

function Step() {
  const [isOpen, setOpen] = useState(false);
  const [isDone, setDone] = useState(false);
  return (
    <>
      {!isDone && (
        <button type="button" onClick={() => setOpen(true)}>
          Expédier
        </button>
      )}
      {isOpen && (
        <Confirm
          title="Expédier"
          text="?"
          action="Confirmer"
          onConfirm={() => {
            setDone(true);
            setOpen(false);
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

it("leaves the focus in the page when what opened it is done and gone", async () => {
  const main = document.body.appendChild(document.createElement("main"));
  main.tabIndex = -1;
  const { user, screen } = await renderStaff(<Step />);

  await user.click(screen.getByRole("button", { name: "Expédier" }));
  await user.click(screen.getByRole("button", { name: "Confirmer" }));

  await vi.waitFor(() => expect(document.activeElement).toBe(main));
  await act(async () => main.remove());
});

function Views({ onDone }: { onDone: () => void }) {
  const [isSeen, setSeen] = useState(false);
  return (
    <Dialog
      title={isSeen ? "Ce que cela fait" : "Rembourser"}
      onClose={() => {}}
      actions={
        <button type="button" onClick={isSeen ? onDone : () => setSeen(true)}>
          {isSeen ? "Confirmer" : "Voir"}
        </button>
      }
    >
      ?
    </Dialog>
  );
}

it("does with a double click no more than with one: what comes up is read first", async () => {
  const done = vi.fn();
  const { user, screen } = await renderStaff(<Views onDone={done} />);

  await user.dblClick(screen.getByRole("button", { name: "Voir" }));
  expect(done).not.toHaveBeenCalled();
  await user.click(screen.getByRole("button", { name: "Confirmer" }));
  expect(done).toHaveBeenCalledTimes(1);
});
