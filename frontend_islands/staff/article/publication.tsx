import type { AdminArticle } from "@/api/types";
import { Icon } from "@/lib/icon";
import { formatMoment } from "../shared/dates";
import { Field } from "../shared/field";
import { translate } from "../shared/translate";
import type { Values } from "./values";
import words from "./words.json";

const t = translate(words);
const STATES = {
  draft: "state.draft",
  scheduled: "state.scheduled",
  published: "state.published",
  trashed: "state.trashed",
} as const;

interface PublicationProps {
  values: Values;
  article: AdminArticle | undefined;
  error: string | undefined;
  /** What the preview does not show yet. */
  hasChanges: boolean;
  onNow: (now: boolean) => void;
  onMoment: (moment: string) => void;
}

/** When the public sees the article: at once, at a moment, or not yet. */
export function Publication({ values, article, error, hasChanges, onNow, onMoment }: PublicationProps) {
  return (
    <section className="staff-sheet" aria-labelledby="article-publication">
      <h2 className="staff-sheet__title" id="article-publication">
        {t("sections.publication")}
      </h2>
      {article && (
        <p className="muted">
          {t(STATES[article.state], {
            moment: article.publish_at ? formatMoment(article.publish_at) : "",
          })}
        </p>
      )}
      <label className="check">
        <input type="checkbox" checked={values.now} onChange={({ target }) => onNow(target.checked)} />
        <span>{t("fields.now")}</span>
      </label>
      {!values.now && (
        <Field label={t("fields.publish_at")} hint={t("hints.publish_at")} error={error}>
          {(control) => (
            <input
              className="input"
              type="datetime-local"
              {...control}
              value={values.publish_at}
              onChange={({ target }) => onMoment(target.value)}
            />
          )}
        </Field>
      )}
      {article?.preview_url && (
        <p>
          <a className="button button--small" href={article.preview_url} target="_blank" rel="noopener">
            <Icon name="eye" /> {t("preview")}
          </a>{" "}
          <span className="muted">{t(hasChanges ? "previewOld" : "previewHint")}</span>
        </p>
      )}
    </section>
  );
}
