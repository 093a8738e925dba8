import type { ApiProblem } from "@/lib/api";
import { useTranslation } from "@/runtime/react";

/** The sentence for a problem: the server's own, else one for the kind of silence it was. */
export function useProblemText(): (problem: ApiProblem) => string {
  const { t } = useTranslation();
  return ({ detail, code }) => detail || (code === "network" ? t("common.network") : t("common.unexpected"));
}
