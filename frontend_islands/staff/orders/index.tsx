/** `/admin/commandes`: orders filtered by status, searched, and read page by page. */
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { StaffOrder, StaffOrderCounts, StaffOrderPage } from "@/api/types";
import { getJson } from "@/lib/api";
import { Icon } from "@/lib/icon";
import { formatMoney } from "@/lib/money";
import { formatDay, formatMoment } from "@/staff/shared/dates";
import { useKeptFocus } from "@/staff/shared/kept-focus";
import { useLeftList } from "@/staff/shared/left-list";
import { OrderFlags } from "@/staff/shared/order-flags";
import { Loading, Problem } from "@/staff/shared/problem";
import { staffIsland } from "@/staff/shared/staff-island";
import { translate } from "@/staff/shared/translate";
import words from "./words.json";

const t = translate(words);

const PAGE_SIZE = 30;
const TYPING_MS = 250;

/** The filters in their order, each with what it adds to the call. */
const SEGMENTS: { name: string; label: string; query: Record<string, string>; isRare?: boolean }[] = [
  { name: "", label: t("all"), query: {} },
  { name: "late", label: t("late"), query: { late: "true" } },
  { name: "confirmed", label: t("confirmed"), query: { status: "confirmed" } },
  { name: "processing", label: t("processing"), query: { status: "processing" } },
  { name: "shipped", label: t("shipped"), query: { status: "shipped" } },
  { name: "delivered", label: t("delivered"), query: { status: "delivered" } },
  { name: "refunded", label: t("refunded"), query: { status: "refunded" } },
  // What « À faire » leads to: shown while it is chosen.
  { name: "to_make", label: t("toMake"), query: { waits: "to_make" }, isRare: true },
  { name: "at_risk", label: t("atRisk"), query: { waits: "at_risk" }, isRare: true },
  { name: "review", label: t("review"), query: { waits: "review" }, isRare: true },
  { name: "money", label: t("money"), query: { waits: "money" }, isRare: true },
  { name: "unpaid", label: t("unpaid"), query: { include: "unpaid", status: "pending" } },
];

/** What the address says: going back, or a link that somebody sent, shows the same list. */
function readAddress() {
  const asked = new URLSearchParams(location.search);
  const filter = asked.get("filtre") ?? "";
  return {
    filter: SEGMENTS.some(({ name }) => name === filter) ? filter : "",
    search: asked.get("q") ?? "",
  };
}

function writeAddress(filter: string, search: string) {
  const said = new URLSearchParams();
  if (filter) said.set("filtre", filter);
  if (search) said.set("q", search);
  const query = said.toString();
  history.replaceState(history.state, "", query ? `?${query}` : location.pathname);
}

export function OrderList() {
  const [filter, setFilter] = useState(() => readAddress().filter);
  const [typed, setTyped] = useState(() => readAddress().search);
  const search = useSettled(typed.trim());
  useEffect(() => writeAddress(filter, search), [filter, search]);
  const list = useRef<HTMLElement>(null);
  const keptFocus = useKeptFocus(list);

  const counts = useQuery({
    queryKey: ["order-counts"],
    queryFn: ({ signal }) => getJson<StaffOrderCounts>("/api/admin/orders/counts", { signal }),
    refetchInterval: 60_000,
  });
  const pages = useInfiniteQuery({
    queryKey: ["orders", filter, search],
    queryFn: ({ pageParam, signal }) =>
      getJson<StaffOrderPage>(`/api/admin/orders?${query(filter, search, pageParam)}`, { signal }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  useLeftList(pages);
  const orders = pages.data?.pages.flatMap((page) => page.results) ?? [];
  // That nothing was found before says nothing of what is asked now.
  const isAwaited = pages.isPending || (pages.isPlaceholderData && orders.length === 0);

  return (
    <>
      <search className="order-search">
        <label className="field">
          <span className="field__label">{t("search")}</span>
          <input
            className="input"
            type="search"
            value={typed}
            placeholder={t("searchHint")}
            autoComplete="off"
            maxLength={100}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
      </search>
      <fieldset className="staff-segments order-segments">
        <legend className="visually-hidden">{t("filter")}</legend>
        {SEGMENTS.filter(({ name, isRare }) => !isRare || name === filter).map(({ name, label }) => (
          <button key={name} type="button" aria-pressed={filter === name} onClick={() => setFilter(name)}>
            {withCount(label, name, counts.data)}
          </button>
        ))}
      </fieldset>
      <section aria-label={t("list")} aria-busy={pages.isFetching} ref={list} {...keptFocus}>
        {isAwaited && <Loading text={t("loading")} />}
        {pages.isError && (
          <Problem title={t("failed")} error={pages.error} onRetry={() => void pages.refetch()} />
        )}
        {pages.isSuccess && !isAwaited && orders.length === 0 && (
          <p className="staff-sheet staff-empty" role="status">
            {search ? t("noneFound", { search }) : t("none")}
          </p>
        )}
        {orders.length > 0 && (
          <ul className="staff-rows">
            {orders.map((order) => (
              <Row key={order.id} order={order} />
            ))}
          </ul>
        )}
        {pages.hasNextPage && (
          <button
            className="button order-more"
            type="button"
            aria-busy={pages.isFetchingNextPage}
            onClick={() => void pages.fetchNextPage()}
          >
            {pages.isFetchingNextPage ? t("moreLoading") : t("more")}
          </button>
        )}
      </section>
    </>
  );
}

function Row({ order }: { order: StaffOrder }) {
  const count = order.items.reduce((sum, item) => sum + item.quantity, 0);
  const pictures = order.items.filter((item) => item.product_image).slice(0, 3);
  const isAtWorkshop = order.status === "confirmed" || order.status === "processing";
  return (
    <li>
      <a className="staff-rows__row order-row" href={`/admin/commandes/${order.id}`}>
        <span className="order-row__pictures">
          {pictures.map((item) => (
            <img key={item.id} src={item.product_image} alt="" width="48" height="48" loading="lazy" />
          ))}
        </span>
        <span className="staff-rows__main">
          <span className="order-row__head">
            <strong>{order.reference}</strong>
            <span className={`status status--${order.status}`}>{order.status_label}</span>
            <OrderFlags flags={order.flags} />
          </span>
          <span className="order-row__who">
            {order.customer_name} · {t("pieces", { count })}
          </span>
          <span className="order-row__when">
            {formatMoment(order.created_at)}
            {isAtWorkshop && <> · {t("promised", { day: formatDay(order.promised_by) })}</>}
          </span>
        </span>
        <strong className="order-row__total">{formatMoney(order.total_amount)}</strong>
        <Icon name="chevron-right" />
      </a>
    </li>
  );
}

function withCount(label: string, name: string, counts: StaffOrderCounts | undefined): string {
  const count = name === "late" ? counts?.late : counts?.by_status[name];
  return count ? t("counted", { label, count }) : label;
}

function query(filter: string, search: string, cursor: string): string {
  const segment = SEGMENTS.find(({ name }) => name === filter);
  const asked = new URLSearchParams({ page_size: String(PAGE_SIZE), ...segment?.query });
  if (search) {
    asked.set("search", search);
    // Who types a reference looks for that order, paid or not.
    if (!filter) asked.set("include", "unpaid");
  }
  if (cursor) asked.set("cursor", cursor);
  return asked.toString();
}

/** The text once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const wait = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(wait);
  }, [text]);
  return settled;
}

export const mount = staffIsland(OrderList);
