import { useState } from "react";
import { expect, it } from "vitest";
import { renderStaff } from "@/testing/staff";
import { Tags } from "./tags";

function Held({ most }: { most: number }) {
  const [tags, setTags] = useState(["Jinx"]);
  return <Tags tags={tags} most={most} error={undefined} onChange={setTags} />;
}

it("makes a tag of each word of a pasted list, each once and no more than fit", async () => {
  const { user, screen } = await renderStaff(<Held most={4} />);
  await user.click(screen.getByRole("textbox"));
  await user.paste("jinx, Figurines  3D,, impression 3D, artisanal et peint à la main, Ashe");
  expect(screen.getAllByRole("button").map(({ textContent }) => textContent?.trim())).toEqual([
    "Jinx",
    "Figurines 3D",
    "impression 3D",
    "artisanal et peint à la main",
  ]);
});
