import { Fragment, type ReactNode } from "react";

interface MarkedProps {
  text: string;
  /** Draws the part in the n-th pair of brackets. */
  draw: (part: string, index: number) => ReactNode;
}

/** A sentence with parts in square brackets, so that translators keep their order: `"J'accepte les [conditions]."`. */
export function Marked({ text, draw }: MarkedProps) {
  return text.split(/\[(.*?)\]/).map((part, position) => {
    const index = (position - 1) / 2;
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence never move
    return <Fragment key={position}>{Number.isInteger(index) ? draw(part, index) : part}</Fragment>;
  });
}
