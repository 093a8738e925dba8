import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { AdminProductRow, BulkAnswer, StaffProductsProps } from "@/api/types";
import { toast } from "@/lib/toast";
import { toAmount } from "../shared/amounts";
import { Changes } from "../shared/changes";
import { Dialog } from "../shared/dialog";
import { Field } from "../shared/field";
import { fieldErrors, Problem, ProblemText } from "../shared/problem";
import { translate } from "../shared/translate";
import { sendBulk } from "./calls";
import words from "./words.json";

const t = translate(words);
const FLAGS = [
  { name: "is_published", label: "bulkEdit.published", right: "edit" },
  { name: "featured", label: "bulkEdit.featured", right: "edit" },
  { name: "in_stock", label: "bulkEdit.inStock", right: "stock" },
] as const;
const NUMBERS = [
  { name: "stock_quantity", label: "bulkEdit.stock", right: "stock" },
  { name: "production_days_min", label: "bulkEdit.daysMin", right: "edit" },
  { name: "production_days_max", label: "bulkEdit.daysMax", right: "edit" },
] as const;
// Types that need nothing besides their name.
const PLAIN_PROMOTIONS = new Set(["buy_2_get_1", "buy_3_get_1", "buy_4_get_3"]);

interface BulkEditProps extends StaffProductsProps {
  rows: AdminProductRow[];
  onClose: () => void;
  onDone: () => void;
}

interface Asked {
  ids: number[];
  fields: Record<string, unknown>;
}

/** Several products at once: what changes is chosen, then shown product by product, then done for all or none. */
export function BulkEdit({ rows, categories, promotion_types, rights, onClose, onDone }: BulkEditProps) {
  const client = useQueryClient();
  const [typed, setTyped] = useState<Record<string, string>>({});
  const [preview, setPreview] = useState<BulkAnswer>();
  const fields = toFields(typed);
  const look = useMutation({
    mutationFn: (asked: Asked) => sendBulk({ ...asked, action: "update", dry_run: true }),
    onSuccess: setPreview,
  });
  const apply = useMutation({
    mutationFn: (asked: Asked) =>
      sendBulk({ ...asked, action: "update", preview_key: preview?.preview_key ?? "" }),
    onSuccess: ({ count }) => {
      toast({ kind: "success", title: t("bulkEdit.done", { count }) });
      onDone();
    },
    // It may have been done: no answer came.
    onError: () => void client.invalidateQueries({ queryKey: ["products"] }),
  });
  const set = (name: string, value: string) => setTyped({ ...typed, [name]: value });
  const choose = (name: string, label: string, options: readonly { value: string; text: string }[]) => (
    <Field label={label} key={name}>
      {(control) => (
        <select
          {...control}
          className="select"
          value={typed[name] ?? ""}
          onChange={(event) => set(name, event.target.value)}
        >
          <option value="">{t("bulkEdit.keep")}</option>
          {options.map(({ value, text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
  const write = (name: string, label: string, inputMode: "numeric" | "decimal") => (
    <Field label={label} error={fieldErrors(look.error, `fields.${name}`).join(" ")} key={name}>
      {(control) => (
        <input
          {...control}
          className="input"
          inputMode={inputMode}
          placeholder={t("bulkEdit.stockHint")}
          value={typed[name] ?? ""}
          onChange={(event) => set(name, event.target.value)}
        />
      )}
    </Field>
  );
  const yesNo = [
    { value: "yes", text: t("bulkEdit.yes") },
    { value: "no", text: t("bulkEdit.no") },
  ];

  if (preview) {
    const changes = preview.changes ?? [];
    const same = changes.filter((row) => row.changes.length === 0).length;
    return (
      <Dialog
        title={t("bulkEdit.title", { count: rows.length })}
        onClose={onClose}
        isBusy={apply.isPending}
        typed={typed}
        actions={
          <>
            <button
              className="button"
              type="button"
              disabled={apply.isPending}
              onClick={() => {
                apply.reset();
                setPreview(undefined);
              }}
            >
              {t("bulkEdit.back")}
            </button>
            <button
              className="button button--primary"
              type="button"
              aria-busy={apply.isPending}
              disabled={apply.isPending || same === changes.length}
              // What was shown: more may have been typed while it was on its way.
              onClick={() => look.variables && apply.mutate(look.variables)}
            >
              {t("bulkEdit.apply", { count: preview.count })}
            </button>
          </>
        }
      >
        {/* Not as a notice: behind a dialog it can be neither closed nor followed. */}
        {apply.isError && <Problem title={t("bulkEdit.failed")} error={apply.error} />}
        <p>{t("bulkEdit.summary", { changed: changes.length - same, same })}</p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard. */}
        <section className="staff-table-scroll" tabIndex={0} aria-label={t("bulkEdit.changes")}>
          <table className="staff-table" aria-label={t("bulkEdit.changes")}>
            <thead>
              <tr>
                <th scope="col">{t("bulkEdit.product")}</th>
                <th scope="col">{t("bulkEdit.changes")}</th>
              </tr>
            </thead>
            <tbody>
              {changes.map((row) => (
                <tr key={row.id}>
                  <th scope="row">{row.name}</th>
                  <td>{row.changes.length ? <Changes changes={row.changes} /> : t("bulkEdit.same")}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </Dialog>
    );
  }
  return (
    <Dialog
      title={t("bulkEdit.title", { count: rows.length })}
      onClose={onClose}
      isBusy={look.isPending}
      typed={typed}
      actions={
        <button
          className="button button--primary"
          type="button"
          aria-busy={look.isPending}
          disabled={look.isPending || Object.keys(fields).length === 0}
          onClick={() => look.mutate({ ids: rows.map((row) => row.id), fields })}
        >
          {t("bulkEdit.preview")}
        </button>
      }
    >
      <p>{t("bulkEdit.text")}</p>
      {look.isError && (
        <p className="alert alert--error" role="alert">
          <ProblemText error={look.error} />
        </p>
      )}
      {rights.edit &&
        choose(
          "category",
          t("category"),
          categories.map(({ slug, name }) => ({ value: slug, text: name })),
        )}
      {FLAGS.filter(({ right }) => rights[right]).map(({ name, label }) => choose(name, t(label), yesNo))}
      {rights.prices && write("price", t("bulkEdit.price"), "decimal")}
      {NUMBERS.filter(({ right }) => rights[right]).map(({ name, label }) =>
        write(name, t(label), "numeric"),
      )}
      {rights.prices &&
        choose("promotion", t("bulkEdit.promotion"), [
          { value: "none", text: t("bulkEdit.noPromotion") },
          ...promotion_types
            .filter(({ code }) => PLAIN_PROMOTIONS.has(code))
            .map(({ code, label }) => ({ value: code, text: label })),
        ])}
    </Dialog>
  );
}

/** What was chosen, as the call takes it. */
function toFields(typed: Record<string, string>): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, raw] of Object.entries(typed)) {
    const value = raw.trim();
    if (!value) continue;
    if (name === "promotion") {
      fields.promotion_type = value === "none" ? "" : value;
      fields.promotion_active = value !== "none";
    } else if (value === "yes" || value === "no") fields[name] = value === "yes";
    else fields[name] = name === "price" ? toAmount(value) : value;
  }
  return fields;
}
