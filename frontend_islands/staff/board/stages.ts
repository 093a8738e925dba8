/** The stages of the work in their order, and how a piece goes through them. */
import type { BoardCard, PieceStage } from "@/api/types";
import { translate } from "@/staff/shared/translate";
import words from "./words.json";

const t = translate(words);

export const STAGE_NAMES: Record<PieceStage, string> = {
  to_print: t("stages.to_print"),
  to_prepare: t("stages.to_prepare"),
  to_paint: t("stages.to_paint"),
  to_photograph: t("stages.to_photograph"),
  to_pack: t("stages.to_pack"),
  shipped: t("stages.shipped"),
};

export const STAGES: PieceStage[] = [
  "to_print",
  "to_prepare",
  "to_paint",
  "to_photograph",
  "to_pack",
  "shipped",
];

/** Whether staff may put this piece there: what is ordered unpainted is not painted, and a parcel alone ships. */
export function fits(card: BoardCard, stage: PieceStage): boolean {
  return stage !== "shipped" && !(stage === "to_paint" && card.finish === "unpainted");
}

/** The stage one step on (1) or back (-1) from where it stands, or undefined at the end. */
export function step(card: BoardCard, direction: 1 | -1): PieceStage | undefined {
  if (card.stage === "shipped") return undefined;
  const ahead = direction === 1 ? STAGES : [...STAGES].reverse();
  return ahead.slice(ahead.indexOf(card.stage) + 1).find((stage) => fits(card, stage));
}
