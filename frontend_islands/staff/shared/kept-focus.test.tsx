import { useRef, useState } from "react";
import { expect, it, vi } from "vitest";
import { renderStaff } from "@/testing/staff";
import { useKeptFocus } from "./kept-focus";

function Area() {
  const area = useRef<HTMLDivElement>(null);
  const keptFocus = useKeptFocus(area);
  const [isThere, setThere] = useState(true);
  return (
    <div ref={area} {...keptFocus}>
      <button type="button">Reste</button>
      {isThere && (
        <button type="button" onClick={() => setThere(false)}>
          Part
        </button>
      )}
    </div>
  );
}

it.each([true, false])(
  "moves the page to what has the focus now for keyboards alone: %s",
  async (isByKey) => {
    const { user, screen } = await renderStaff(<Area />);
    const goes = screen.getByRole("button", { name: "Part" });
    const stays = screen.getByRole("button", { name: "Reste" });
    const matches = goes.matches.bind(goes);
    goes.matches = (selector: string) => (selector === ":focus-visible" ? isByKey : matches(selector));
    const focus = vi.spyOn(stays, "focus");
    await user.click(goes);
    expect(document.activeElement).toBe(stays);
    expect(focus.mock.calls).toEqual([[{ preventScroll: !isByKey }]]);
  },
);
