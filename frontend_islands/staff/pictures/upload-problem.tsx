import type { ReactNode } from "react";
import { ProblemText } from "../shared/problem";
import { translate } from "../shared/translate";
import { UnusableFile } from "./shrink";
import words from "./words.json";

const t = translate(words);

/** What people read about a picture that could not be sent. */
export function uploadProblem(error: unknown): ReactNode {
  return error instanceof UnusableFile ? t(error.key) : <ProblemText error={error} />;
}

export const UPLOADED = t("uploaded");
