import { useEffect, useState } from "react";
import type { ArticlePreview } from "@/api/types";
import { ProblemText } from "../shared/problem";
import { translate } from "../shared/translate";
import { preview } from "./calls";
import words from "./words.json";

const t = translate(words);
const PAUSE_MS = 500;

/** The text as the article's page shows it: the server draws it, a moment after the last letter. */
export function Preview({ text, language }: { text: string; language: string }) {
  const [shown, setShown] = useState<ArticlePreview>();
  const [problem, setProblem] = useState<unknown>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first is drawn at once, the others after a pause.
  useEffect(() => {
    const call = new AbortController();
    const pause = setTimeout(
      () =>
        preview(text, language, call.signal).then(
          (answer) => {
            setShown(answer);
            setProblem(undefined);
          },
          (error: unknown) => !call.signal.aborted && setProblem(error),
        ),
      shown ? PAUSE_MS : 0,
    );
    return () => {
      clearTimeout(pause);
      call.abort();
    };
  }, [text, language]);
  return (
    <section className="writer__preview" aria-label={t("panes.preview")}>
      <p className="muted writer__facts">
        {problem ? (
          <ProblemText error={problem} />
        ) : shown ? (
          t("facts", { count: shown.words, minutes: shown.minutes })
        ) : (
          t("drawing")
        )}
      </p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: links of a preview lead nowhere, or what is typed would be left. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a key that follows a link makes a click. */}
      <div
        className="article__text prose"
        lang={language}
        onClick={(event) => (event.target as Element).closest("a") && event.preventDefault()}
        // biome-ignore lint/security/noDangerouslySetInnerHtml: the server sanitised it, as for the page itself.
        dangerouslySetInnerHTML={{ __html: shown?.html ?? "" }}
      />
    </section>
  );
}
