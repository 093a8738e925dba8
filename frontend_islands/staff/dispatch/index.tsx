/** `/admin/expedition`: orders that are ready are ticked or scanned, numbered, read again, and sent at once. */
import { useRef, useState } from "react";
import type { DispatchProps, DispatchResult, ReadyOrder } from "@/api/types";
import { toast } from "@/lib/toast";
import { formatDay } from "@/staff/shared/dates";
import { useLeaveWarning, useSharedDraft } from "@/staff/shared/drafts";
import { Loading, Problem, toastProblem } from "@/staff/shared/problem";
import { staffIsland } from "@/staff/shared/staff-island";
import { translate } from "@/staff/shared/translate";
import { useDispatch, useDispatchPreview, useReady } from "./calls";
import { Entry } from "./entry";
import { Review } from "./review";
import words from "./words.json";

const t = translate(words);

interface Draft {
  carrier: string;
  chosen: string[];
  numbers: Record<string, string>;
}

export function DispatchScreen({ carriers }: DispatchProps) {
  const ready = useReady();
  const [draft, setDraft] = useSharedDraft<Draft>("dispatch", () => ({
    carrier: carriers[0]?.code ?? "",
    chosen: [],
    numbers: {},
  }));
  // Scanned orders that the list, which is bounded, does not show.
  const [scanned, setScanned] = useState<ReadyOrder[]>([]);
  const [results, setResults] = useState<(DispatchResult & { reference: string })[]>([]);
  const scan = useRef<HTMLInputElement>(null);

  const listed = ready.data ?? [];
  const orders = [...scanned.filter(({ id }) => !listed.some((order) => order.id === id)), ...listed];
  const chosen = orders.filter(({ id }) => draft.chosen.includes(id));
  const dispatches = chosen.map(({ id }) => ({
    id,
    carrier: draft.carrier,
    tracking_number: (draft.numbers[id] ?? "").trim(),
  }));
  const preview = useDispatchPreview();
  const dispatch = useDispatch((part) => {
    const left = part.filter(({ outcome }) => outcome !== "refused").map(({ id }) => id);
    setResults((before) => [
      ...before,
      ...part.map((result) => ({ ...result, reference: referenceOf(result.id) })),
    ]);
    setScanned((before) => before.filter(({ id }) => !left.includes(id)));
    setDraft((before) => ({
      ...before,
      chosen: before.chosen.filter((id) => !left.includes(id)),
      numbers: Object.fromEntries(Object.entries(before.numbers).filter(([id]) => !left.includes(id))),
    }));
  });
  useLeaveWarning(chosen.length > 0);
  // Of those that have left the list, too.
  const references = useRef(new Map<string, string>());
  for (const { id, reference } of orders) references.current.set(id, reference);
  const referenceOf = (id: string) => references.current.get(id) ?? "";
  const problemOf = (id: string) =>
    results.findLast((result) => result.id === id && result.outcome === "refused")?.detail;

  const choose = (ids: string[], isChosen: boolean) =>
    setDraft((before) => ({
      ...before,
      chosen: isChosen
        ? [...new Set([...before.chosen, ...ids])]
        : before.chosen.filter((id) => !ids.includes(id)),
    }));
  const number = (id: string, value: string) =>
    setDraft((before) => ({
      ...before,
      chosen: [...new Set([...before.chosen, id])],
      numbers: { ...before.numbers, [id]: value },
    }));

  const send = () => {
    setResults([]);
    // What was read again: the list behind it is read anew every few seconds, and orders change.
    const read = new Map(preview.data?.map(({ id, updated_at }) => [id, updated_at]));
    const asked = (preview.variables ?? []).map((one) => ({
      ...one,
      expected_updated_at: read.get(one.id),
    }));
    dispatch.mutate(asked, {
      onSuccess: (done) => {
        preview.reset();
        const count = done.filter(({ outcome }) => outcome === "shipped").length;
        const refused = done.filter(({ outcome }) => outcome === "refused").length;
        const title = t("shipped", { count });
        // On a phone the list of outcomes is out of sight: the notice stays, too.
        if (refused > 0) toast({ kind: "error", title, text: t("stayed", { count: refused }) });
        else toast({ kind: count === done.length ? "success" : "info", title });
      },
      onError: (error) => {
        preview.reset();
        toastProblem(t("callFailed"), error);
      },
    });
  };

  if (ready.isPending) return <Loading text={t("loading")} />;
  if (!ready.data)
    return <Problem title={t("failed")} error={ready.error} onRetry={() => void ready.refetch()} />;
  // Those marked « Ne pas expédier » are ticked one by one.
  const free = orders.filter(({ warning }) => !warning);
  const withoutNumber = dispatches.filter((one) => !one.tracking_number).length;
  return (
    <>
      <Entry
        orders={orders}
        scan={scan}
        carriers={carriers}
        carrier={draft.carrier}
        onCarrier={(carrier) => setDraft((before) => ({ ...before, carrier }))}
        onFound={(order) => {
          if (!orders.some(({ id }) => id === order.id))
            setScanned((before) => [order, ...before.filter(({ id }) => id !== order.id)]);
          choose([order.id], true);
          setTimeout(() => document.getElementById(`number-${order.id}`)?.focus());
        }}
        onNumber={number}
      />
      {results.length > 0 && (
        <section className="staff-sheet dispatch-results" role="status" aria-label={t("outcome")}>
          <ul>
            {results.map((result) => (
              <li key={result.id}>{outcomeText(result)}</li>
            ))}
          </ul>
        </section>
      )}
      <section aria-label={t("list")} aria-busy={ready.isFetching}>
        {orders.length === 0 ? (
          <p className="staff-sheet staff-empty">{t("none")}</p>
        ) : (
          <>
            <label className="check">
              <input
                type="checkbox"
                checked={free.length > 0 && free.every(({ id }) => draft.chosen.includes(id))}
                onChange={({ target }) =>
                  choose(
                    (target.checked ? free : orders).map(({ id }) => id),
                    target.checked,
                  )
                }
              />
              <span>{t("all")}</span>
            </label>
            <ul className="staff-rows">
              {orders.map((order) => (
                <li key={order.id} className="staff-rows__row dispatch-row">
                  <label className="check">
                    <input
                      type="checkbox"
                      checked={draft.chosen.includes(order.id)}
                      onChange={({ target }) => choose([order.id], target.checked)}
                    />
                    <span className="dispatch-row__what">
                      <strong>
                        {order.reference} · {order.customer_name}
                      </strong>
                      <span>{order.pieces.join(", ")}</span>
                      <span className="muted">
                        {order.place} · {t("promised", { day: formatDay(order.promised_by) })}
                      </span>
                      {order.notes && (
                        <span className="order-customer-notes">
                          {t("customerNote", { note: order.notes })}
                        </span>
                      )}
                      {order.warning && <span className="order-error">{order.warning}</span>}
                      {order.is_late && (
                        <span>
                          <span className="order-flag order-flag--urgent">{t("late")}</span>
                        </span>
                      )}
                    </span>
                  </label>
                  <label className="field">
                    <span className="field__label" aria-hidden="true">
                      {t("numberLabel")}
                    </span>
                    <input
                      id={`number-${order.id}`}
                      className="input"
                      aria-label={t("number", { reference: order.reference })}
                      value={draft.numbers[order.id] ?? ""}
                      maxLength={100}
                      autoComplete="off"
                      onChange={({ target }) => number(order.id, target.value)}
                      onKeyDown={(event) => {
                        // A scanner ends with Enter: the next reference comes.
                        if (event.key === "Enter") scan.current?.focus();
                      }}
                    />
                  </label>
                  {problemOf(order.id) && <p role="alert">{problemOf(order.id)}</p>}
                </li>
              ))}
            </ul>
          </>
        )}
      </section>
      {chosen.length > 0 && (
        <div className="staff-bulk">
          <span>
            {t("chosen", { count: chosen.length })}
            {withoutNumber > 0 && `, ${t("withoutNumber", { count: withoutNumber })}`}
          </span>
          <button
            className="button button--primary"
            type="button"
            aria-busy={preview.isPending}
            // Switched off, it would lose the focus, which comes back to it from the dialog.
            aria-disabled={preview.isPending}
            onClick={() => {
              if (preview.isPending) return;
              preview.mutate(dispatches, {
                onError: (error) => toastProblem(t("callFailed"), error),
              });
            }}
          >
            {t("review")}
          </button>
        </div>
      )}
      {preview.data && (
        <Review
          results={preview.data}
          referenceOf={referenceOf}
          isBusy={dispatch.isPending}
          onBack={() => preview.reset()}
          onShip={send}
        />
      )}
    </>
  );
}

function outcomeText({ outcome, reference, detail }: DispatchResult & { reference: string }): string {
  if (outcome === "shipped") return t("outcomeShipped", { reference });
  if (outcome === "already") return t("outcomeAlready", { reference });
  return t("outcomeRefused", { reference, reason: detail });
}

export const mount = staffIsland(DispatchScreen);
