import { useQuery } from "@tanstack/react-query";
import type { StaffArticleProps } from "@/api/types";
import { Loading, Problem } from "../shared/problem";
import { translate } from "../shared/translate";
import { ArticleForm } from "./article-form";
import { fetchArticle } from "./calls";
import words from "./words.json";

const t = translate(words);

export interface EditorProps extends StaffArticleProps {
  /** Called once a change is stored. */
  onSaved?: (() => void) | undefined;
  /** Where the editor stands in place of something: what closes it. */
  onCancel?: (() => void) | undefined;
}

/** The editor of a new article, or of one that is read first. */
export function ArticleEditor(props: EditorProps) {
  const id = props.article_id;
  const article = useQuery({
    queryKey: ["article", id],
    queryFn: ({ signal }) => fetchArticle(id ?? 0, signal),
    enabled: id !== null,
    // What is being typed is not replaced behind somebody's back: saving tells of another version.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  if (id === null) return <ArticleForm {...props} article={undefined} />;
  if (article.isError) {
    return <Problem title={t("loadFailed")} error={article.error} onRetry={() => void article.refetch()} />;
  }
  if (!article.data) return <Loading text={t("loading")} />;
  return <ArticleForm {...props} article={article.data} />;
}
