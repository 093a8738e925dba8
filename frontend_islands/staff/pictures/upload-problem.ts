import { problemText } from "../shared/problem";
import { translate } from "../shared/translate";
import { UnusableFile } from "./shrink";
import words from "./words.json";

const t = translate(words);

/** What people read about a picture that could not be sent. */
export function uploadProblem(error: unknown): string {
  return error instanceof UnusableFile ? t(error.key) : problemText(error);
}

export const UPLOADED = t("uploaded");
