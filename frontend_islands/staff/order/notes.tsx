/** Notes of the team: added, and corrected by another note; none is erased. */
import { useMutation } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import type { StaffOrderSheet } from "@/api/types";
import { postJson } from "@/lib/api";
import { toast } from "@/lib/toast";
import { formatMoment } from "@/staff/shared/dates";
import { useLeaveWarning, useSharedDraft } from "@/staff/shared/drafts";
import { translate } from "@/staff/shared/translate";
import { orderPath, useShow } from "./calls";
import { Field, Refusal } from "./previewed-step";
import words from "./words.json";

const t = translate(words);

interface Correction {
  id: number;
  before: string;
  text: string;
}

export function Notes({ order }: { order: StaffOrderSheet }) {
  const [text, setText] = useSharedDraft(`order-note:${order.id}`, () => "");
  // Beside the note that was begun, which is there again afterwards.
  const [correction, setCorrection] = useState<Correction>();
  const latest = useRef(text);
  latest.current = text;
  const field = useRef<HTMLTextAreaElement>(null);
  const heading = useId();
  const show = useShow(order.id);
  const add = useMutation({
    mutationFn: (sent: { text: string; correction: Correction | undefined }) =>
      postJson<StaffOrderSheet>(orderPath(order.id, "/notes"), {
        text: sent.text,
        corrects: sent.correction?.id ?? null,
      }),
    onSuccess: async (sheet, sent) => {
      await show(sheet);
      toast({ kind: "success", title: t("noteAdded") });
      if (sent.correction) setCorrection(undefined);
      // What was typed since is another note.
      else if (latest.current === sent.text) setText("");
    },
  });
  const isCorrected = correction !== undefined && correction.text !== correction.before;
  useLeaveWarning(isCorrected || (text.trim() !== "" && add.isPending));

  const replaced = new Set(order.staff_notes.map((note) => note.corrects));
  return (
    <section className="staff-sheet" aria-labelledby={heading}>
      <h2 className="staff-sheet__title" id={heading}>
        {t("notes")}
      </h2>
      <p className="muted">{t("notesHint")}</p>
      {order.staff_notes.length === 0 ? (
        <p className="muted">{t("noNotes")}</p>
      ) : (
        <ul className="order-notes">
          {order.staff_notes.map((note) => (
            <li key={note.id}>
              {replaced.has(note.id) ? (
                <p>
                  <s>{note.text}</s> <span className="muted">({t("corrected")})</span>
                </p>
              ) : (
                <p className="order-notes__text">{note.text}</p>
              )}
              <p className="muted">
                {t("by", { when: formatMoment(note.created_at), who: note.author ?? t("shop") })}
                {order.may.note && !correction && !add.isPending && !replaced.has(note.id) && (
                  <>
                    {" · "}
                    <button
                      className="link-button"
                      type="button"
                      onClick={() => {
                        setCorrection({ id: note.id, before: note.text, text: note.text });
                        field.current?.focus();
                      }}
                    >
                      {t("correctNote")}
                    </button>
                  </>
                )}
              </p>
            </li>
          ))}
        </ul>
      )}
      {order.may.note && (
        <form
          className="order-form"
          onSubmit={(event) => {
            event.preventDefault();
            add.mutate({ text: correction?.text ?? text, correction });
          }}
        >
          {add.error && <Refusal error={add.error} title={t("noteFailed")} />}
          <Field label={correction ? t("correction") : t("note")}>
            <textarea
              ref={field}
              className="textarea"
              value={correction?.text ?? text}
              maxLength={2000}
              readOnly={correction && add.isPending}
              onChange={({ target }) =>
                correction ? setCorrection({ ...correction, text: target.value }) : setText(target.value)
              }
            />
          </Field>
          <p className="cluster">
            <button
              className="button button--small"
              type="submit"
              disabled={!(correction?.text ?? text).trim() || add.isPending}
              aria-busy={add.isPending}
            >
              {t("addNote")}
            </button>
            {correction && (
              <button
                className="button button--small button--quiet"
                type="button"
                disabled={add.isPending}
                onClick={() => {
                  setCorrection(undefined);
                  field.current?.focus();
                }}
              >
                {t("cancelCorrection")}
              </button>
            )}
          </p>
        </form>
      )}
    </section>
  );
}
