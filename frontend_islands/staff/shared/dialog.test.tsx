import { act } from "@testing-library/react";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import { renderStaff } from "@/testing/staff";
import { Confirm } from "./dialog";

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
