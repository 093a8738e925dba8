import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { AdminArticle, ArticleRevision } from "@/api/types";
import { ApiProblem } from "@/lib/api";
import { toast } from "@/lib/toast";
import { formatMoment } from "../shared/dates";
import { Confirm, Dialog } from "../shared/dialog";
import { Loading, Problem, toastProblem } from "../shared/problem";
import { translate } from "../shared/translate";
import { compareRevisions, fetchRevisions, restoreRevision } from "./calls";
import { nameOf } from "./names";
import words from "./words.json";

const t = translate(words);

interface RevisionsProps {
  article: AdminArticle;
  /** Something is typed and not saved. */
  isDisabled: boolean;
  onChanged: (article: AdminArticle) => void;
}

/** What was saved of the article before: compared with what it is now, and taken back. */
export function Revisions({ article, isDisabled, onChanged }: RevisionsProps) {
  const [isOpen, setOpen] = useState(false);
  const [compared, setCompared] = useState<ArticleRevision>();
  const [restored, setRestored] = useState<ArticleRevision>();
  const list = useQuery({
    queryKey: ["revisions", article.id, article.updated_at],
    queryFn: ({ signal }) => fetchRevisions(article.id, signal),
    enabled: isOpen,
  });
  const restore = async ({ number }: ArticleRevision) => {
    try {
      onChanged(await restoreRevision(article.id, number, article.updated_at));
      toast({ kind: "success", title: t("revisions.restored", { number }) });
    } catch (error) {
      toastProblem(t("actionFailed"), error);
      // Somebody saved another version: the next attempt is about that one.
      if (error instanceof ApiProblem && error.code === "conflict")
        onChanged(error.body.current as AdminArticle);
    }
    setRestored(undefined);
  };
  const newest = list.data?.[0]?.number ?? 0;
  return (
    <details
      className="staff-sheet product-form__section"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{t("sections.revisions")}</summary>
      {list.isError && (
        <Problem title={t("revisions.loadFailed")} error={list.error} onRetry={() => void list.refetch()} />
      )}
      {isOpen && list.isPending && <Loading />}
      {isDisabled && <p className="muted">{t("revisions.unsaved")}</p>}
      <ol className="revision-list">
        {list.data?.map((row) => (
          <li key={row.number}>
            <p>
              <strong>{t("revisions.row", { number: row.number })}</strong> · {formatMoment(row.created_at)}
              {row.author && ` · ${row.author}`}
            </p>
            <p className="muted">
              {row.number === newest
                ? t("revisions.now")
                : row.changed.map(nameOf).join(", ") || t("revisions.first")}
            </p>
            {row.number !== newest && (
              <p className="cluster">
                <button className="button button--small" type="button" onClick={() => setCompared(row)}>
                  {t("revisions.compare")}
                  <span className="visually-hidden"> {row.number}</span>
                </button>
                <button
                  className="button button--small button--quiet"
                  type="button"
                  disabled={isDisabled}
                  onClick={() => setRestored(row)}
                >
                  {t("revisions.restore")}
                  <span className="visually-hidden"> {row.number}</span>
                </button>
              </p>
            )}
          </li>
        ))}
      </ol>
      {compared && (
        <Comparison
          article={article.id}
          from={compared.number}
          to={newest}
          onClose={() => setCompared(undefined)}
        />
      )}
      {restored && (
        <Confirm
          title={t("revisions.restoreTitle", { number: restored.number })}
          text={t("revisions.restoreText")}
          action={t("revisions.restore")}
          onClose={() => setRestored(undefined)}
          onConfirm={() => restore(restored)}
        />
      )}
    </details>
  );
}

interface ComparisonProps {
  article: number;
  from: number;
  to: number;
  onClose: () => void;
}

function Comparison({ article, from, to, onClose }: ComparisonProps) {
  const changes = useQuery({
    queryKey: ["comparison", article, from, to],
    queryFn: ({ signal }) => compareRevisions(article, from, to, signal),
  });
  return (
    <Dialog title={t("revisions.compareTitle", { from })} onClose={onClose}>
      {changes.isError && (
        <Problem
          title={t("revisions.loadFailed")}
          error={changes.error}
          onRetry={() => void changes.refetch()}
        />
      )}
      {changes.isPending && <Loading />}
      {changes.data?.length === 0 && <p>{t("revisions.same")}</p>}
      {changes.data?.map(({ field, lines }) => (
        <section key={field}>
          <h3>{nameOf(field)}</h3>
          <ul className="diff">
            {lines.map(({ kind, text }, index) => {
              const key = `${index}-${kind}`;
              if (kind === "gap")
                return (
                  <li className="diff__gap" key={key}>
                    {t("revisions.gap", { count: Number(text) })}
                  </li>
                );
              const Mark = kind === "added" ? "ins" : kind === "removed" ? "del" : "span";
              return (
                <li className={`diff__${kind}`} key={key}>
                  <Mark>{text || "\u00a0"}</Mark>
                </li>
              );
            })}
          </ul>
        </section>
      ))}
    </Dialog>
  );
}
