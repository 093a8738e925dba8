import { useEffect, useRef, useState } from "react";
import type { StaffVariantsProps, VariantFormat, VariantGrid, VariantRow } from "@/api/types";
import { ApiProblem } from "@/lib/api";
import { emit, listen } from "@/lib/events";
import { Icon } from "@/lib/icon";
import { toast } from "@/lib/toast";
import { Confirm } from "../shared/dialog";
import { useFieldDraft, useLeaveWarning } from "../shared/drafts";
import { useKeptFocus } from "../shared/kept-focus";
import { fieldErrors, toastProblem } from "../shared/problem";
import { translate } from "../shared/translate";
import { makeDefault, removeFormat, saveGrid } from "./calls";
import { FormatDialog } from "./format-dialog";
import { FormatList } from "./format-list";
import { PhotoChoice } from "./photo-choice";
import { byField, byRow, isTypedOver, rowsToSend, typedOver, typedSince, withChange } from "./values";
import { VariantCard } from "./variant-card";
import words from "./words.json";

const t = translate(words);

interface GridProps {
  product: number;
  rights: StaffVariantsProps["rights"];
  grid: VariantGrid;
  onStored: (grid: VariantGrid) => void;
  onRead: () => Promise<VariantGrid | undefined>;
}

export function Grid({ product, rights, grid, onStored, onRead }: GridProps) {
  const { kept, keep } = useFieldDraft<Record<string, unknown>>(`grid-${product}`);
  const [changes, setChanges] = useState(() => byRow(kept?.fields ?? {}));
  const opened = useRef(changes);
  const latest = useRef(changes);
  latest.current = changes;
  const [order, setOrder] = useState<number[]>();
  const [error, setError] = useState<unknown>();
  const over = typedOver(grid, changes);
  const [notice, setNotice] = useState<"" | "draft" | "conflict">(
    kept ? (kept.version === over ? "draft" : "conflict") : "",
  );
  const [isSaving, setSaving] = useState(false);
  const [edited, setEdited] = useState<VariantFormat | "new">();
  const [removed, setRemoved] = useState<VariantFormat>();
  const [isReverting, setReverting] = useState(false);
  const [photosOf, setPhotosOf] = useState<VariantRow>();

  const area = useRef<HTMLDivElement>(null);
  const keptFocus = useKeptFocus(area);
  const count = grid.rows.filter(({ id }) => changes[id]).length;
  const isChanged = count > 0 || order !== undefined;
  useLeaveWarning(isChanged);
  useEffect(() => {
    // What was taken over says which grid it was typed over until it is changed.
    if (changes !== opened.current) keep(byField(changes), over);
  }, [changes, keep, over]);

  const formats = order
    ? order.flatMap((id) => grid.formats.find((format) => format.id === id) ?? [])
    : grid.formats;
  const move = (format: VariantFormat, to: number) => {
    const others = formats.map(({ id }) => id).filter((id) => id !== format.id);
    const next = [...others.slice(0, to), format.id, ...others.slice(to)];
    setOrder(next.join() === grid.formats.map(({ id }) => id).join() ? undefined : next);
  };
  /** Reads the grid again after another change of it; what somebody else changed of what is typed is told. */
  const read = async () => {
    const fresh = await onRead();
    if (fresh && isTypedOver(grid.rows, fresh.rows, latest.current)) setNotice("conflict");
  };
  useEffect(() =>
    listen("product:changed", ({ productId, by }) => {
      if (productId === product && by !== "variants") void read();
    }),
  );
  const tell = () => emit("product:changed", { productId: product, by: "variants" });
  /** Shows what is stored now beside what was typed; false for another refusal. */
  const onConflict = (refusal: unknown): boolean => {
    if (!(refusal instanceof ApiProblem && refusal.code === "conflict")) return false;
    onStored(refusal.body.current as VariantGrid);
    setOrder(undefined);
    setNotice("conflict");
    return true;
  };
  const save = async () => {
    setSaving(true);
    setError(undefined);
    setNotice("");
    try {
      const rows = rowsToSend(grid.rows, changes);
      const stored = await saveGrid(product, {
        version: grid.version,
        rows,
        ...(order && { format_ids: order }),
      });
      setChanges((now) => typedSince(changes, now));
      setOrder((now) => (now === order ? undefined : now));
      onStored(stored);
      tell();
      toast({ kind: "success", title: t("saved") });
    } catch (refusal) {
      if (!onConflict(refusal)) {
        setError(refusal);
        toastProblem(t("saveFailed"), refusal);
        // The number in stock may be another by now.
        if (refusal instanceof ApiProblem && refusal.code === "invalid") void read();
      }
    } finally {
      setSaving(false);
    }
  };
  const act = async (run: () => Promise<unknown>, done: string, failed: string) => {
    setSaving(true);
    try {
      await run();
      toast({ kind: "success", title: done });
    } catch (refusal) {
      toastProblem(failed, refusal);
    } finally {
      // Also after a refusal: the format may be gone, or no answer came.
      void read();
      tell();
      setSaving(false);
      setRemoved(undefined);
    }
  };
  /** What goes with a format: the last one leaves what it had to the piece. */
  const removal = ({ id }: VariantFormat) => {
    const rows = grid.rows.filter(({ variation_id }) => variation_id === id);
    const units = rows.reduce((sum, row) => sum + (row.stock_quantity ?? 0), 0);
    const held = rows.reduce((sum, row) => sum + row.held_units, 0);
    const waiting = rows.reduce((sum, row) => sum + row.waiting, 0);
    if (grid.formats.length === 1) return t("removeLast");
    return (
      <>
        <p>{t("removeText")}</p>
        {units > 0 && <p>{t("removeUnits", { count: units })}</p>}
        {held > 0 && <p>{t("removeHeld", { count: held })}</p>}
        {waiting > 0 && <p>{t("removeWaiting", { count: waiting })}</p>}
      </>
    );
  };
  const revert = () => {
    setReverting(false);
    setChanges({});
    setOrder(undefined);
    setError(undefined);
    setNotice("");
  };
  return (
    <div className="variants" ref={area} {...keptFocus}>
      <p className="muted">{t("intro")}</p>
      <div className="variants__formats">
        <h3>{t("formats")}</h3>
        {formats.length === 0 && <p className="muted">{t("noFormats")}</p>}
        {formats.length > 0 && !grid.offers_formats && <p className="muted">{t("notShown")}</p>}
        <FormatList
          formats={formats}
          canEdit={rights.edit}
          onMove={move}
          onEdit={setEdited}
          onRemove={setRemoved}
          onDefault={(format) =>
            void act(() => makeDefault(product, format.id), t("form.saved"), t("defaultFailed"))
          }
        />
        {rights.edit && (
          <button className="button button--small" type="button" onClick={() => setEdited("new")}>
            <Icon name="plus" /> {t("addFormat")}
          </button>
        )}
      </div>
      <h3>{t("rows")}</h3>
      {notice && (
        <p className="alert alert--warning" role="alert">
          {t(notice)}
        </p>
      )}
      <ul className="variants__rows">
        {grid.rows.map((row) => (
          <VariantCard
            key={row.id}
            row={row}
            fallback={grid.product}
            change={changes[row.id] ?? {}}
            rights={rights}
            isTypedOver={notice === "conflict"}
            errorsOf={(name) => fieldErrors(error, `rows.${row.id}.${name}`)}
            onChange={(change) => setChanges((all) => withChange(all, row, change))}
            onPhotos={() => setPhotosOf(row)}
          />
        ))}
      </ul>
      {isChanged && (
        <div className="staff-save">
          <p role="status">{count ? t("unsaved", { count }) : t("orderChanged")}</p>
          <button
            className="button button--small"
            type="button"
            disabled={isSaving}
            onClick={() => (count ? setReverting(true) : revert())}
          >
            {t("revert")}
          </button>
          <button
            className="button button--primary button--small"
            type="button"
            aria-busy={isSaving}
            disabled={isSaving}
            onClick={() => void save()}
          >
            {t("save")}
          </button>
        </div>
      )}
      {edited && (
        <FormatDialog
          product={product}
          format={edited === "new" ? undefined : edited}
          canPrice={rights.prices}
          version={grid.version}
          onConflict={onConflict}
          onClose={() => setEdited(undefined)}
          onSaved={async (saved, isOver) => {
            setEdited(isOver ? undefined : saved);
            toast({ kind: "success", title: t("form.saved") });
            tell();
            await read();
          }}
        />
      )}
      {isReverting && (
        <Confirm
          title={t("revertTitle")}
          text={t("revertText", { count })}
          action={t("revertTyped")}
          isDangerous
          onClose={() => setReverting(false)}
          onConfirm={revert}
        />
      )}
      {removed && (
        <Confirm
          title={t("removeTitle", { name: removed.name })}
          text={removal(removed)}
          action={t("remove")}
          isBusy={isSaving}
          isDangerous
          onClose={() => setRemoved(undefined)}
          onConfirm={() => void act(() => removeFormat(product, removed.id), t("removed"), t("removeFailed"))}
        />
      )}
      {photosOf && (
        <PhotoChoice
          row={photosOf}
          photos={grid.images}
          chosen={changes[photosOf.id]?.image_ids ?? photosOf.image_ids}
          onChange={(image_ids) => setChanges((all) => withChange(all, photosOf, { image_ids }))}
          onClose={() => setPhotosOf(undefined)}
        />
      )}
    </div>
  );
}
