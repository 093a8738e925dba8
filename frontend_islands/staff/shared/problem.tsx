import { ApiProblem } from "@/lib/api";
import { toast } from "@/lib/toast";
import { translate } from "./translate";
import words from "./words.json";

const t = translate(words);

/** What to say of an error: the server's sentence, or what happened to the call. */
export function problemText(error: unknown): string {
  if (error instanceof ApiProblem) {
    if (error.code === "network") return t("network");
    if (isSignedOut(error)) return t("signedOut");
    if (error.detail) return error.detail;
  }
  return t("unexpected");
}

/** The same, with the way to sign in: in another tab, so that all that was typed stays in this one. */
export function ProblemText({ error }: { error: unknown }) {
  if (!isSignedOut(error)) return problemText(error);
  return (
    <>
      {problemText(error)}{" "}
      <a href={signInUrl()} target="_blank" rel="noopener">
        {t("signIn")}
      </a>
    </>
  );
}

/** A notice that says what did not work, and why: in `text`, where the title does not say the first. */
export function toastProblem(title: string, error: unknown, text = problemText(error)): void {
  const signIn = { label: t("signIn"), run: () => void open(signInUrl(), "_blank", "noopener") };
  toast({ kind: "error", title, text, ...(isSignedOut(error) && { action: signIn }) });
}

/** Whether the server refused; after any other error nobody knows what was done. */
export const isRefusal = (error: unknown) =>
  error instanceof ApiProblem && error.status >= 400 && error.status < 500;

/** Whether the whole time that a call has went by: who waited for it is told, before it is made again. */
export const isLate = (error: unknown) =>
  error instanceof ApiProblem && error.cause instanceof DOMException && error.cause.name === "TimeoutError";

export const isSignedOut = (error: unknown) =>
  error instanceof ApiProblem && error.code === "not_authenticated";

const signInUrl = () => `/auth?next=${encodeURIComponent(location.pathname + location.search)}`;

/** The messages of one field of a refused form, or none. */
export function fieldErrors(error: unknown, field: string): string[] {
  return error instanceof ApiProblem ? (error.errors[field] ?? []) : [];
}

/** An error in place of what could not be shown, with a button to try again. */
export function Problem({ title, error, onRetry }: { title: string; error: unknown; onRetry?: () => void }) {
  return (
    <div className="alert alert--error" role="alert">
      <p className="alert__title">{title}</p>
      <p>
        <ProblemText error={error} />
      </p>
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
