import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { AdminProductRow, StaffProductsProps } from "@/api/types";
import { toast } from "@/lib/toast";
import { Confirm } from "../shared/dialog";
import { useKeptFocus } from "../shared/kept-focus";
import { useLeftList } from "../shared/left-list";
import { Loading, Problem, toastProblem } from "../shared/problem";
import { translate } from "../shared/translate";
import { BulkBar } from "./bulk-bar";
import { BulkEdit } from "./bulk-edit";
import {
  eraseProduct,
  exportAddress,
  type Filters,
  fetchPage,
  filtersOfAddress,
  promotionOfAddress,
  queryOf,
} from "./calls";
import { FilterBar } from "./filter-bar";
import { ProductRow } from "./product-row";
import { RemoveDialog } from "./remove-dialog";
import { useRestore } from "./use-restore";
import words from "./words.json";

const t = translate(words);
const NOTHING: ReadonlySet<number> = new Set();

/** The products of the shop: found, marked, changed several at once. */
export function ProductList(props: StaffProductsProps) {
  const { categories, rights, trash_days, most_at_once } = props;
  const client = useQueryClient();
  const [filters, setFilters] = useState(filtersOfAddress);
  const [promotion] = useState(promotionOfAddress);
  const [chosen, setChosen] = useState<ReadonlySet<number>>(NOTHING);
  const [removing, setRemoving] = useState<AdminProductRow[]>();
  const [erasing, setErasing] = useState<AdminProductRow>();
  const [isEditing, setIsEditing] = useState(false);
  const restore = useRestore();
  const area = useRef<HTMLElement>(null);
  const keptFocus = useKeptFocus(area);
  const list = useInfiniteQuery({
    queryKey: ["products", filters],
    queryFn: ({ pageParam, signal }) => fetchPage(filters, pageParam, signal),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
  });
  useLeftList(list);

  useEffect(() => {
    const query = queryOf(filters);
    if (promotion) query.set("promotion", promotion);
    history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}`);
    setChosen(NOTHING);
  }, [filters, promotion]);

  const rows = list.data?.pages.flatMap((page) => page.results) ?? [];
  const count = list.data?.pages[0]?.count ?? 0;
  // That nothing was found before says nothing of what is asked now.
  const isAwaited = list.isPending || (list.isPlaceholderData && rows.length === 0);
  const marked = rows.filter((row) => chosen.has(row.id));
  const isTrash = filters.state === "trashed";
  const toggle = (id: number) =>
    setChosen((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  const areAllChosen = rows.length > 0 && marked.length === rows.length;
  const refresh = () => {
    setChosen(NOTHING);
    void client.invalidateQueries({ queryKey: ["products"] });
  };

  async function erase(row: AdminProductRow) {
    try {
      await eraseProduct(row.id);
      toast({ kind: "success", title: t("erased") });
    } catch (error) {
      toastProblem(t("removeOneFailed"), error);
    }
    setErasing(undefined);
    refresh();
  }

  return (
    <section aria-labelledby="existing" ref={area} {...keptFocus}>
      <FilterBar categories={categories} filters={filters} onChange={(next: Filters) => setFilters(next)} />
      <div className="staff-list-head">
        <h2 id="existing" className="staff-sheet__title" aria-live="polite">
          {list.data && !isAwaited ? t("heading", { count }) : t("heading", { count: "…" })}
        </h2>
        {rows.length > 0 && (isTrash ? rights.remove : rights.stock) && (
          <button
            type="button"
            className="button button--small button--quiet"
            onClick={() => setChosen(areAllChosen ? NOTHING : new Set(rows.map((row) => row.id)))}
          >
            {areAllChosen ? t("deselectAll") : t("selectAll")}
          </button>
        )}
        <a className="button button--small button--quiet" href={exportAddress(filters)} download>
          {t("export")}
        </a>
      </div>
      {isAwaited && <Loading text={t("loading")} />}
      {list.isError && (
        <Problem title={t("loadFailed")} error={list.error} onRetry={() => void list.refetch()} />
      )}
      {list.data && !isAwaited && rows.length === 0 && (
        <div className="staff-sheet staff-empty">
          <p>{isTrash ? t("emptyTrash") : t("empty")}</p>
          {!isTrash && <p>{t("emptyHint")}</p>}
        </div>
      )}
      {rows.length > 0 && (
        <ul className="staff-rows product-rows" aria-busy={list.isPlaceholderData}>
          {rows.map((row) => (
            <ProductRow
              key={row.id}
              row={row}
              isChosen={chosen.has(row.id)}
              onToggle={toggle}
              rights={rights}
              trashDays={trash_days}
              onRemove={(one) => setRemoving([one])}
              onRestore={(one) => void restore([one.id], refresh)}
              onErase={setErasing}
            />
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <p className="staff-more">
          <button
            type="button"
            className="button"
            onClick={() => void list.fetchNextPage()}
            aria-busy={list.isFetchingNextPage}
          >
            {t("more")}
          </button>
          <span className="muted">{t("shown", { shown: rows.length, count })}</span>
        </p>
      )}
      {marked.length > 0 && (
        <BulkBar
          count={marked.length}
          most={most_at_once}
          isTrash={isTrash}
          rights={rights}
          promotion={promotion}
          promotionUrl={`/admin/promotions/${promotion || "nouveau"}?produits=${marked.map(({ id }) => id).join(",")}`}
          onEdit={() => setIsEditing(true)}
          onRemove={() => setRemoving(marked)}
          onRestore={() =>
            void restore(
              marked.map((row) => row.id),
              refresh,
            )
          }
          onClear={() => setChosen(NOTHING)}
        />
      )}
      {removing && (
        <RemoveDialog
          rows={removing}
          trashDays={trash_days}
          onClose={() => setRemoving(undefined)}
          onDone={() => {
            setRemoving(undefined);
            refresh();
          }}
        />
      )}
      {isEditing && (
        <BulkEdit
          {...props}
          rows={marked}
          onClose={() => setIsEditing(false)}
          onDone={() => {
            setIsEditing(false);
            refresh();
          }}
        />
      )}
      {erasing && (
        <Confirm
          title={t("eraseTitle")}
          text={t("eraseText", { name: erasing.name })}
          action={t("erase")}
          isDangerous
          onConfirm={() => erase(erasing)}
          onClose={() => setErasing(undefined)}
        />
      )}
    </section>
  );
}
