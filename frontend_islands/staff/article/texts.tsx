import { LANGUAGES, type Language } from "@/runtime/language";
import { Field } from "../shared/field";
import { translate } from "../shared/translate";
import { ContentEditor } from "./content-editor";
import { nameOf } from "./names";
import type { ArticleState } from "./use-article";
import { type Column, columnOf, type Text } from "./values";
import words from "./words.json";

const t = translate(words);
const LANGUAGE_NAMES = { fr: "texts.fr", en: "texts.en", es: "texts.es", de: "texts.de" } as const;

/** The texts in one language; a translation stands beside the French, and what the French left behind is marked. */
export function Texts({ state }: { state: ArticleState }) {
  const { values, base, change, errors, confirmed, language, setLanguage } = state;
  const isStale = (column: string) => (base?.stale_texts ?? []).includes(column);
  const isUntouched = (column: Column) => base !== undefined && values[column] === (base[column] ?? "");
  const open = (base?.stale_texts ?? []).filter(
    (column) => !confirmed.includes(column) && isUntouched(column as Column),
  );
  const counts = (code: Language) =>
    code === "fr" ? 0 : open.filter((column) => column.endsWith(`_${code}`)).length;
  const noteOf = (column: Column) => {
    if (open.includes(column))
      return (
        <p className="field__error">
          {t("texts.stale")}{" "}
          <button className="link-button" type="button" onClick={() => state.confirm(column)}>
            {t("texts.fine")}
          </button>
        </p>
      );
    return isStale(column) && confirmed.includes(column) ? (
      <p className="muted">{t("texts.confirmed")}</p>
    ) : null;
  };
  const line = (text: Text, rows = 0) => {
    const column = columnOf(text, language);
    const source = language === "fr" ? "" : values[text];
    return (
      <div className={open.includes(column) ? "translation--stale" : ""}>
        {source && (
          <p className="article-source muted" lang="fr">
            {source}
          </p>
        )}
        <Field
          label={nameOf(text)}
          hint={text === "slug" ? t("hints.slug") : text === "excerpt" ? t("hints.excerpt") : undefined}
          error={errors[column]}
          isRequired={language === "fr" && (text === "title" || text === "excerpt")}
          note={noteOf(column)}
        >
          {(control) =>
            rows ? (
              <textarea
                className="textarea"
                rows={rows}
                lang={language}
                {...control}
                value={values[column]}
                onChange={(event) => change(column, event.target.value)}
              />
            ) : (
              <input
                className="input"
                autoComplete="off"
                lang={language}
                {...control}
                value={values[column]}
                onChange={(event) => change(column, event.target.value)}
              />
            )
          }
        </Field>
      </div>
    );
  };
  const content = columnOf("content", language);
  return (
    <section className="staff-sheet" aria-labelledby="article-texts">
      <h2 className="staff-sheet__title" id="article-texts">
        {t("sections.texts")}
      </h2>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset can't scroll sideways everywhere. */}
      <div className="staff-segments" role="group" aria-label={t("texts.language")}>
        {LANGUAGES.map((code) => {
          const count = counts(code);
          const name = t(LANGUAGE_NAMES[code]);
          return (
            <button
              key={code}
              type="button"
              aria-pressed={code === language}
              onClick={() => setLanguage(code)}
            >
              {count ? t("texts.staleCount", { language: name, count }) : name}
            </button>
          );
        })}
      </div>
      {language !== "fr" && <p className="muted">{t("texts.intro")}</p>}
      <div className="article-form__texts">
        {line("title")}
        {line("excerpt", 3)}
        <div className={open.includes(content) ? "translation--stale" : ""}>
          <ContentEditor
            language={language}
            value={values[content]}
            source={language === "fr" ? undefined : values.content}
            error={errors[content]}
            note={noteOf(content)}
            onChange={(text) => change(content, text)}
          />
        </div>
        {language !== "fr" && line("cover_alt")}
        <details>
          <summary>{t("texts.more")}</summary>
          {line("slug")}
        </details>
      </div>
    </section>
  );
}
