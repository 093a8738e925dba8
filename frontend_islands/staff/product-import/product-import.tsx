import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { STAFF_LIMITS } from "@/api/limits";
import type { ImportAnswer, StaffProductImportProps } from "@/api/types";
import { postJson } from "@/lib/api";
import { toast } from "@/lib/toast";
import { Changes } from "../shared/changes";
import { isRefusal, Loading, ProblemText, problemText, toastProblem } from "../shared/problem";
import { translate } from "../shared/translate";
import words from "./words.json";

const t = translate(words);
const IMPORT = "/api/admin/products/import";
const MOST_BYTES = STAFF_LIMITS.ImportRequest.csv;

/** A file is compared first, line by line; then all of it is done, or none. */
export function ProductImport({ most_lines }: StaffProductImportProps) {
  const key = useId();
  const [csv, setCsv] = useState("");
  const [fault, setFault] = useState("");
  const [isWhole, setIsWhole] = useState(false);
  const look = useMutation({
    mutationFn: (text: string) => postJson<ImportAnswer>(IMPORT, { csv: text, dry_run: true }),
  });
  const apply = useMutation({
    mutationFn: () => postJson<ImportAnswer>(IMPORT, { csv, preview_key: look.data?.preview_key ?? "" }),
    onSuccess: ({ added, changed }) => {
      toast({
        kind: "success",
        title: t("applied", { added, changed }),
        link: { href: "/admin/produits", label: t("seeProducts") },
      });
      look.mutate(csv);
    },
    onError: (error) => toastProblem(t(isRefusal(error) ? "failed" : "unsure"), error),
  });

  async function read(file: File | undefined) {
    setFault("");
    look.reset();
    if (!file) return;
    if (file.size === 0) {
      setFault(t("empty"));
      return;
    }
    if (file.size > MOST_BYTES) {
      setFault(t("tooBig"));
      return;
    }
    try {
      const text = textOf(await file.arrayBuffer());
      // A workbook of Excel, a picture: no text has this sign.
      if (text.includes("\0")) throw new TypeError("not a text");
      setCsv(text);
      look.mutate(text);
    } catch {
      setFault(t("unreadable"));
    }
  }

  const found = look.data;
  const count = found ? found.added + found.changed : 0;
  const lines = found?.lines.filter((line) => isWhole || line.action !== "nothing") ?? [];
  return (
    <>
      <section className="staff-sheet staff-sheet--narrow">
        <div className="field">
          <label className="field__label" htmlFor={key}>
            {t("file")}
          </label>
          <p className="field__hint muted" id={`${key}-hint`}>
            {t("fileHint", { most: most_lines })}
          </p>
          <input
            id={key}
            className="input"
            type="file"
            accept=".csv,text/csv,text/plain"
            aria-describedby={`${key}-hint`}
            aria-invalid={fault ? true : undefined}
            // A file that was corrected has the same name: chosen again, it would be no change.
            onClick={({ currentTarget }) => {
              currentTarget.value = "";
            }}
            onChange={(event) => void read(event.target.files?.[0])}
          />
          {fault && (
            <p className="field__error" role="alert">
              {fault}
            </p>
          )}
        </div>
        <p>
          <a href="/api/admin/products/export.csv" download>
            {t("export")}
          </a>
        </p>
      </section>
      {look.isPending && <Loading text={t("reading")} />}
      {look.isError && (
        <div className="alert alert--error" role="alert">
          <p className="alert__title">{t("refused")}</p>
          <p>
            <ProblemText error={look.error} />
          </p>
          {Object.values((look.error as { errors?: Record<string, string[]> }).errors ?? {})
            .flat()
            .filter((text) => text !== problemText(look.error))
            .map((text) => (
              <p key={text}>{text}</p>
            ))}
        </div>
      )}
      {found && (
        <section className="staff-sheet" aria-live="polite">
          <p>
            <strong>
              {count || found.refused
                ? t("summary", {
                    added: found.added,
                    changed: found.changed,
                    unchanged: found.unchanged,
                  })
                : t("nothing")}
            </strong>
          </p>
          {found.refused > 0 && (
            <p className="alert alert--error">{t("withErrors", { count: found.refused })}</p>
          )}
          {found.unchanged > 0 && (
            <label className="check">
              <input type="checkbox" checked={isWhole} onChange={() => setIsWhole(!isWhole)} />
              <span>{t("showAll")}</span>
            </label>
          )}
          {lines.length > 0 && <Lines lines={lines} />}
          {count > 0 && (
            <p className="staff-more">
              <button
                className="button button--primary"
                type="button"
                aria-busy={apply.isPending}
                disabled={apply.isPending || found.refused > 0}
                // The second half of a double click would tell that nothing was imported.
                onClick={({ detail }) => detail < 2 && apply.mutate()}
              >
                {apply.isPending ? t("applying") : t("apply", { count })}
              </button>
              {apply.isError && (
                <button className="button" type="button" onClick={() => look.mutate(csv)}>
                  {t("again")}
                </button>
              )}
            </p>
          )}
        </section>
      )}
    </>
  );
}

function Lines({ lines }: { lines: ImportAnswer["lines"] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard.
    <section className="staff-table-scroll" tabIndex={0} aria-label={t("effect")}>
      <table className="staff-table" aria-label={t("effect")}>
        <thead>
          <tr>
            <th scope="col">{t("line")}</th>
            <th scope="col">{t("product")}</th>
            <th scope="col">{t("effect")}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={line.line}>
              <td>{line.line}</td>
              <th scope="row">
                {line.product_id ? <a href={`/admin/produits/${line.product_id}`}>{line.name}</a> : line.name}
              </th>
              <td>
                {line.action === "add" && t("add")}
                {line.action === "nothing" && t("unchanged")}
                {line.action === "change" && <Changes changes={line.changes} />}
                {line.errors.map((text) => (
                  <p className="field__error" key={text}>
                    {text}
                  </p>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Spreadsheets write UTF-8, « Texte Unicode » (UTF-16 behind its mark), or what Windows wrote before both. */
function textOf(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes);
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
