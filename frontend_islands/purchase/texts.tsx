import { Fragment, type ReactNode } from "react";
import type { ApiProblem } from "@/lib/api";
import { useTranslation } from "@/runtime/react";

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

/** The sentence for a problem: the server's own, else one for the kind of silence it was. */
export function useProblemText(): (problem: ApiProblem) => string {
  const { t } = useTranslation();
  return ({ detail, code }) => detail || (code === "network" ? t("common.network") : t("common.unexpected"));
}
