import { ArticleEditor, type EditorProps } from "../article/article-editor";
import { staffIsland } from "../shared/staff-island";
import { translate } from "../shared/translate";
import words from "./words.json";

const t = translate(words);

interface InPlaceProps extends EditorProps {
  onCancel: () => void;
  onSaved: () => void;
}

/** The editor in place of an article's public page. */
export function ArticleInPlace(props: InPlaceProps) {
  return (
    <section className="in-place" aria-label={t("title")}>
      <h2>{t("title")}</h2>
      <ArticleEditor {...props} />
    </section>
  );
}

export const mount = staffIsland(ArticleInPlace);
