/** A step in two views of one dialog: what is asked, then the mail that its customer gets, and the button that does it. */
import { type ReactNode, useState } from "react";
import type { MailPreview, StaffOrderSheet } from "@/api/types";
import { ApiProblem } from "@/lib/api";
import { toast } from "@/lib/toast";
import { Dialog } from "@/staff/shared/dialog";
import { ProblemText } from "@/staff/shared/problem";
import { translate } from "@/staff/shared/translate";
import { isConflict, useChange, usePreview } from "./calls";
import { MailViews } from "./mail-view";
import words from "./words.json";

const t = translate(words);

interface Props {
  order: StaffOrderSheet;
  title: string;
  /** The call, and what is sent with it. */
  path: string;
  body: object;
  done: string;
  failed: string;
  onClose: () => void;
  /** Handles a refusal that the form answers; true when it did. */
  onProblem?: (problem: ApiProblem) => boolean;
  isReady?: boolean;
  children: ReactNode;
}

export function PreviewedStep({
  order,
  title,
  path,
  body,
  done,
  failed,
  onClose,
  onProblem,
  isReady = true,
  children,
}: Props) {
  const [mails, setMails] = useState<MailPreview[]>();
  const preview = usePreview();
  const change = useChange(order);
  const isBusy = preview.isPending || change.isPending;

  function ask() {
    // What was refused before is answered: it would stand over the mail, or hide what is wrong now.
    change.reset();
    preview.mutate(
      { path, body },
      {
        onSuccess: setMails,
        onError: (error) => {
          if (error instanceof ApiProblem && onProblem?.(error)) preview.reset();
        },
      },
    );
  }

  function carryOut() {
    // What was read: more may have been typed while the mail was on its way.
    if (!preview.variables) return;
    change.mutate(preview.variables, {
      onSuccess: () => {
        toast({ kind: "success", title: done });
        onClose();
      },
      onError: (error) => {
        setMails(undefined);
        if (error instanceof ApiProblem && onProblem?.(error)) change.reset();
      },
    });
  }

  const error = change.error ?? preview.error;
  return (
    <Dialog
      title={mails ? t("previewTitle") : title}
      onClose={onClose}
      isBusy={isBusy}
      refusal={error}
      typed={body}
      actions={
        mails ? (
          <>
            <button className="button" type="button" onClick={() => setMails(undefined)} disabled={isBusy}>
              {t("back")}
            </button>
            <button
              className="button button--primary"
              type="button"
              onClick={carryOut}
              disabled={isBusy}
              aria-busy={isBusy}
            >
              {t("confirm")}
            </button>
          </>
        ) : (
          <button
            className="button button--primary"
            type="button"
            onClick={ask}
            disabled={isBusy || !isReady}
            aria-busy={isBusy}
          >
            {t("preview")}
          </button>
        )
      }
    >
      {error && <Refusal error={error} title={failed} />}
      <div hidden={Boolean(mails)} className="order-form">
        {children}
      </div>
      {mails && <MailViews mails={mails} />}
    </Dialog>
  );
}

export function Refusal({ error, title }: { error: unknown; title: string }) {
  const again = error instanceof ApiProblem && error.code === "reauthentication_required";
  const confirmUrl = again
    ? `${String(error.body.confirm_url)}?next=${encodeURIComponent(location.pathname)}`
    : "";
  return (
    <div className="alert alert--error" role="alert">
      <div>
        <p className="alert__title">{isConflict(error) ? t("conflictTitle") : title}</p>
        <p>{isConflict(error) ? t("conflictText") : <ProblemText error={error} />}</p>
        {/* In another tab, so that all that was typed stays in this one. */}
        {again && (
          <a href={confirmUrl} target="_blank" rel="noopener">
            {t("refundProve")}
          </a>
        )}
      </div>
    </div>
  );
}

interface FieldProps {
  label: string;
  hint?: string;
  isOptional?: boolean;
  errors?: string[];
  children: ReactNode;
}

/** A label with its field inside. */
export function Field({ label, hint, isOptional, errors = [], children }: FieldProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the field is handed over.
    <label className="field">
      <span className="field__label">
        {label} {isOptional && <span className="field__optional">{t("optional")}</span>}
      </span>
      {hint && <span className="field__hint muted">{hint}</span>}
      {children}
      {errors.map((error) => (
        <span key={error} className="field__error">
          {error}
        </span>
      ))}
    </label>
  );
}

/** What the customer reads besides the step's own words. */
export function MessageField({ message, onMessage }: { message: string; onMessage: (text: string) => void }) {
  return (
    <Field label={t("message")} hint={t("messageHint")} isOptional>
      <textarea
        className="textarea"
        value={message}
        maxLength={500}
        onChange={(event) => onMessage(event.target.value)}
      />
    </Field>
  );
}
