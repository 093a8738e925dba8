import { useState } from "react";
import { useFormContext, useWatch } from "react-hook-form";
import { translate } from "../shared/translate";
import { TRANSLATIONS, type Translation } from "../shared/translations";
import { Line, Section } from "./fields";
import { labelOf } from "./labels";
import { TEXTS, type Text, type Translated, type Values } from "./values";
import words from "./words.json";

const t = translate(words);
const NAMES = { en: "texts.en", es: "texts.es", de: "texts.de" } as const;

interface TextsProps {
  /** Columns whose French text changed after them. */
  stale: readonly string[];
  /** Those of them that somebody has just called right. */
  confirmed: readonly string[];
  onConfirm: (column: string) => void;
  isDisabled: boolean;
}

/** French beside one other language, text by text; what the French left behind is marked. */
export function TextsSection({ stale, confirmed, onConfirm, isDisabled }: TextsProps) {
  const open = stale.filter((column) => !confirmed.includes(column));
  const first = TRANSLATIONS.find((code) => open.some((column) => column.endsWith(`_${code}`)));
  const [language, setLanguage] = useState<Translation>(first ?? "en");
  const { errors, submitCount } = useFormContext<Values>().formState;
  const [answered, setAnswered] = useState(submitCount);
  if (submitCount !== answered) {
    // What is to be corrected is shown, before the form gives it the focus.
    setAnswered(submitCount);
    const wrong = TRANSLATIONS.filter((code) => TEXTS.some((text) => errors[`${text}_${code}`]));
    if (wrong[0] && !wrong.includes(language)) setLanguage(wrong[0]);
  }
  return (
    <Section title={t("sections.texts")} isOpen={open.length > 0}>
      <p className="muted">{t("texts.intro")}</p>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset can't scroll sideways everywhere. */}
      <div className="staff-segments" role="group" aria-label={t("texts.language")}>
        {TRANSLATIONS.map((code) => {
          const count = open.filter((column) => column.endsWith(`_${code}`)).length;
          return (
            <button
              key={code}
              type="button"
              aria-pressed={code === language}
              onClick={() => setLanguage(code)}
            >
              {count ? t("texts.staleCount", { language: t(NAMES[code]), count }) : t(NAMES[code])}
            </button>
          );
        })}
      </div>
      {TEXTS.map((text) => {
        const column: Translated = `${text}_${language}`;
        return (
          <Pair
            key={column}
            text={text}
            column={column}
            isStale={stale.includes(column)}
            isConfirmed={confirmed.includes(column)}
            onConfirm={() => onConfirm(column)}
            isDisabled={isDisabled}
          />
        );
      })}
    </Section>
  );
}

interface PairProps {
  text: Text;
  column: Translated;
  isStale: boolean;
  isConfirmed: boolean;
  onConfirm: () => void;
  isDisabled: boolean;
}

function Pair({ text, column, isStale, isConfirmed, onConfirm, isDisabled }: PairProps) {
  const { control, getFieldState, formState } = useFormContext<Values>();
  const french = useWatch({ control, name: text });
  const isOpen = isStale && !isConfirmed && !getFieldState(column, formState).isDirty;
  return (
    <div className={isOpen ? "translation translation--stale" : "translation"}>
      <div>
        <p className="translation__label">{labelOf(text)}</p>
        <p className="translation__source" lang="fr">
          {french || <span className="muted">{t("texts.none")}</span>}
        </p>
      </div>
      <Line
        name={column}
        isLong={text.endsWith("description") || text === "warnings"}
        isDisabled={isDisabled}
      >
        {isOpen && (
          <p className="field__error">
            {t("texts.stale")}{" "}
            <button className="link-button" type="button" onClick={onConfirm} disabled={isDisabled}>
              {t("texts.fine")}
            </button>
          </p>
        )}
        {isStale && isConfirmed && <p className="muted">{t("texts.confirmed")}</p>}
      </Line>
    </div>
  );
}
