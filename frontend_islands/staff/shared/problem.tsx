import { ApiProblem } from "@/lib/api";
import { translate } from "./translate";
import words from "./words.json";

const t = translate(words);

/** What to say of an error: the server's sentence, or what happened to the call. */
export function problemText(error: unknown): string {
  if (error instanceof ApiProblem) {
    if (error.code === "network") return t("network");
    if (error.code === "idempotency_mismatch") return t("madeBefore");
    if (error.detail) return error.detail;
  }
  return t("unexpected");
}

/** The messages of one field of a refused form, or none. */
export function fieldErrors(error: unknown, field: string): string[] {
  return error instanceof ApiProblem ? (error.errors[field] ?? []) : [];
}

/** An error in place of what could not be shown, with a button to try again. */
export function Problem({ title, error, onRetry }: { title: string; error: unknown; onRetry?: () => void }) {
  return (
    <div className="alert alert--error" role="alert">
      <p className="alert__title">{title}</p>
      <p>{problemText(error)}</p>
      {onRetry && (
        <button className="button" type="button" onClick={onRetry}>
          {t("retry")}
        </button>
      )}
    </div>
  );
}

/** Shown while a screen's first rows come. */
export function Loading({ text }: { text?: string }) {
  return (
    <p className="staff-loading" role="status">
      {text ?? t("loading")}
    </p>
  );
}
