/** A refund: what of, what it does, and how far the provider is. Nothing is decided before its consequences were shown. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { RefundAnswer, RefundProposal, SheetLine, StaffOrderSheet } from "@/api/types";
import { ApiProblem, getJson, postJson } from "@/lib/api";
import { formatMoney } from "@/lib/money";
import { randomKey } from "@/lib/random-key";
import { toast } from "@/lib/toast";
import { toAmount } from "@/staff/shared/amounts";
import { Dialog } from "@/staff/shared/dialog";
import { pieceLabel } from "@/staff/shared/piece-label";
import { fieldErrors } from "@/staff/shared/problem";
import { translate } from "@/staff/shared/translate";
import { orderPath, useRefresh } from "./calls";
import { Piece, piecesOf, Stepper } from "./pieces";
import { Field, Refusal } from "./previewed-step";
import words from "./words.json";

const t = translate(words);
const ASK_MS = 1500;
const MOST_ASKED = 40;

type Scope = "all" | "lines" | "amount";

interface Returned {
  units: number;
  restock: boolean;
  was_sent: boolean;
}

interface Asked {
  demand: object;
  reason: string;
}

export function RefundDialog({ order, onClose }: { order: StaffOrderSheet; onClose: () => void }) {
  const refresh = useRefresh(order.id);
  const [scope, setScope] = useState<Scope>("lines");
  const [returned, setReturned] = useState(new Map<number, Returned>());
  // What was typed for one of them says nothing of the other.
  const [amounts, setAmounts] = useState({ all: "", lines: "", amount: "" });
  const amount = amounts[scope];
  const [restockAll, setRestockAll] = useState(false);
  const [reason, setReason] = useState("");
  const demand = demandOf(order, scope, returned, amount, restockAll);
  // Of one demand: pressed again after an answer that was lost, it is no second refund.
  const keyed = useRef({ demand: "", key: "" });

  const preview = useMutation({
    mutationFn: (asked: Asked) =>
      postJson<RefundProposal>(orderPath(order.id, "/refund/preview"), {
        ...asked.demand,
        reason: asked.reason,
      }),
  });
  const decide = useMutation({
    mutationFn: ({ demand, reason }: Asked) => {
      const asked = JSON.stringify(demand);
      if (keyed.current.demand !== asked) keyed.current = { demand: asked, key: randomKey() };
      return postJson<RefundAnswer>(
        orderPath(order.id, "/refund"),
        { ...demand, reason, expected_left: preview.data?.left ?? null },
        { headers: { "Idempotency-Key": keyed.current.key } },
      );
    },
    onError: (error) => {
      // What was shown is what was before: it would be refused again, however often it is confirmed.
      if (error instanceof ApiProblem && error.code === "refund_changed") preview.reset();
    },
    onSettled: () => void refresh(),
  });
  const isBusy = preview.isPending || decide.isPending;
  if (decide.data) return <RefundProgress id={decide.data.refund.id} orderId={order.id} onClose={onClose} />;

  const proposal = preview.data;
  const error = decide.error ?? preview.error;
  const wrongAmount = fieldErrors(preview.error, "amount");
  const isReady =
    scope === "all" ||
    (scope === "amount" ? amount.trim() !== "" : [...returned.values()].some(({ units }) => units > 0));
  const back = () => {
    preview.reset();
    decide.reset();
  };

  return (
    <Dialog
      title={proposal ? t("refundConsequences") : t("refundTitle")}
      onClose={onClose}
      isBusy={isBusy}
      typed={{ scope, amounts, reason, restockAll, returned: [...returned] }}
      refusal={error}
      actions={
        proposal ? (
          <>
            <button className="button" type="button" onClick={back} disabled={isBusy}>
              {t("back")}
            </button>
            <button
              className="button button--danger"
              type="button"
              // What was shown: more may have been typed while it was on its way.
              onClick={() => preview.variables && decide.mutate(preview.variables)}
              disabled={isBusy}
              aria-busy={isBusy}
            >
              {/* What goes back: the rest was never collected. */}
              {Number(proposal.money) > 0
                ? t("refundConfirm", { amount: formatMoney(proposal.money) })
                : t("voidConfirm", { amount: formatMoney(proposal.voided) })}
            </button>
          </>
        ) : (
          <button
            className="button button--primary"
            type="button"
            onClick={() => {
              // Answered: it would stand over what is shown next.
              decide.reset();
              preview.mutate({ demand, reason });
            }}
            disabled={isBusy || !isReady}
            aria-busy={isBusy}
          >
            {t("refundNext")}
          </button>
        )
      }
    >
      {error && <Refusal error={error} title={t("error")} />}
      {proposal && <Consequences order={order} proposal={proposal} />}
      <div className="order-form" hidden={Boolean(proposal)}>
        <fieldset className="order-choices">
          <legend>{t("refundWhat")}</legend>
          <Choice label={t("refundLines")} value="lines" scope={scope} onChoose={setScope} />
          <Choice label={t("refundAmount")} value="amount" scope={scope} onChoose={setScope} />
          <Choice
            label={t("refundAll", { amount: formatMoney(order.refundable) })}
            value="all"
            scope={scope}
            onChoose={setScope}
          />
        </fieldset>
        {scope === "lines" && <Lines lines={order.lines} returned={returned} onChange={setReturned} />}
        {scope !== "all" && (
          <Field
            label={scope === "lines" ? t("amountLess") : t("amount")}
            {...(scope === "lines" && { hint: t("amountLessHint"), isOptional: true })}
            errors={wrongAmount}
          >
            <input
              className="input"
              inputMode="decimal"
              value={amount}
              maxLength={12}
              aria-invalid={wrongAmount.length > 0}
              onChange={(event) => setAmounts({ ...amounts, [scope]: event.target.value })}
            />
          </Field>
        )}
        {scope === "all" && (
          <label className="check">
            <input
              type="checkbox"
              checked={restockAll}
              onChange={(event) => setRestockAll(event.target.checked)}
            />
            <span>{t("restockAll")}</span>
          </label>
        )}
        <Field label={t("refundReason")} hint={t("refundReasonHint")} isOptional>
          <input
            className="input"
            value={reason}
            placeholder={t("refundReasonDefault")}
            maxLength={500}
            onChange={(event) => setReason(event.target.value)}
          />
        </Field>
      </div>
    </Dialog>
  );
}

interface ChoiceProps {
  label: string;
  value: Scope;
  scope: Scope;
  onChoose: (scope: Scope) => void;
}

function Choice({ label, value, scope, onChoose }: ChoiceProps) {
  return (
    <label className="order-choice">
      <input type="radio" name="scope" checked={scope === value} onChange={() => onChoose(value)} />
      <span>{label}</span>
    </label>
  );
}

interface LinesProps {
  lines: SheetLine[];
  returned: Map<number, Returned>;
  onChange: (returned: Map<number, Returned>) => void;
}

function Lines({ lines, returned, onChange }: LinesProps) {
  return (
    <ul className="order-pieces">
      {lines.map((line) => {
        const chosen = returned.get(line.id) ?? { units: 0, restock: false, was_sent: false };
        const set = (change: Partial<Returned>) =>
          onChange(new Map(returned).set(line.id, { ...chosen, ...change }));
        return (
          <Piece key={line.id} line={line}>
            <Stepper
              label={t("quantityOf", { piece: pieceLabel(line.product_name, line.detail) })}
              value={chosen.units}
              most={line.quantity - line.returned_quantity}
              onChange={(units) => set({ units })}
            />
            {chosen.units > 0 && line.sent_quantity > 0 && line.to_send > 0 && (
              <label className="check order-piece__wide">
                <input
                  type="checkbox"
                  checked={chosen.was_sent}
                  onChange={(event) => set({ was_sent: event.target.checked })}
                />
                <span>{t("wasSent")}</span>
              </label>
            )}
            {chosen.units > 0 && (
              <label className="check order-piece__wide">
                <input
                  type="checkbox"
                  checked={chosen.restock}
                  onChange={(event) => set({ restock: event.target.checked })}
                />
                <span>{t("restock")}</span>
              </label>
            )}
          </Piece>
        );
      })}
    </ul>
  );
}

function Consequences({ order, proposal }: { order: StaffOrderSheet; proposal: RefundProposal }) {
  const names = new Map(order.lines.map((line) => [line.id, line]));
  const restocked = piecesOf(
    order,
    proposal.lines.filter((line) => line.restock),
  );
  const rest = (Number(proposal.left) - Number(proposal.amount)).toFixed(2);
  return (
    <>
      <ul className="order-consequences">
        {Number(proposal.money) > 0 && <li>{t("refundMoney", { amount: formatMoney(proposal.money) })}</li>}
        {Number(proposal.voided) > 0 && (
          <li>{t("refundVoided", { amount: formatMoney(proposal.voided) })}</li>
        )}
        {Number(proposal.shipping) > 0 && (
          <li>{t("refundShipping", { amount: formatMoney(proposal.shipping) })}</li>
        )}
        {restocked.length > 0 && <li>{t("refundStock", { pieces: restocked.join(", ") })}</li>}
        <li>{t("refundCredit")}</li>
        <li>{proposal.complete ? t("refundComplete") : t("refundPartly", { amount: formatMoney(rest) })}</li>
      </ul>
      <ul className="order-pieces">
        {proposal.lines.map((line) => {
          const piece = names.get(line.item_id);
          return (
            piece && (
              <Piece key={line.item_id} line={piece}>
                <strong className="order-piece__amount">
                  {t("refundLine", { count: line.quantity, amount: formatMoney(line.amount) })}
                </strong>
                {line.explanation && <p className="muted order-piece__wide">{line.explanation}</p>}
              </Piece>
            )
          );
        })}
      </ul>
      {proposal.asks_confirmation && <p className="muted">{t("refundAsksAgain")}</p>}
    </>
  );
}

/** Asks until the provider has answered; closing it stops nothing. */
function RefundProgress({ id, orderId, onClose }: { id: string; orderId: string; onClose: () => void }) {
  const refresh = useRefresh(orderId);
  const asked = useQuery({
    queryKey: ["refund", id],
    queryFn: ({ signal }) => getJson<RefundAnswer>(`/api/admin/refunds/${id}`, { signal }),
    refetchInterval: (query) =>
      query.state.data?.refund.status !== "pending" && query.state.data ? false : ASK_MS,
  });
  const refund = asked.data?.refund;
  const state = refund?.status ?? "pending";
  const isSlow = state === "pending" && asked.dataUpdatedAt > 0 && asked.isFetchedAfterMount;
  const tries = useRef(0);
  tries.current += asked.isFetching ? 1 : 0;
  useEffect(() => {
    if (!refund || state === "pending") return;
    void refresh();
    const ids = refund.refunds.map((each) => each.provider_id).filter(Boolean);
    if (state === "succeeded")
      toast({
        kind: "success",
        title: t("refundDone", {
          amount: refund.refunds.map((each) => formatMoney(each.amount)).join(" + ") || formatMoney("0.00"),
        }),
        ...(ids.length > 0 && { text: t("refundDoneId", { id: ids.join(", ") }) }),
      });
    else {
      const why = refund.refunds.map((each) => each.error).find(Boolean) ?? t("unknownError");
      toast({ kind: "error", title: t("error"), text: t("refundNotDone", { reason: why }) });
    }
    onClose();
  }, [state, refund, refresh, onClose]);
  return (
    <Dialog
      title={t("refundTitle")}
      onClose={onClose}
      actions={
        <button className="button" type="button" onClick={onClose}>
          {t("close")}
        </button>
      }
    >
      <p role="status">{isSlow && tries.current > MOST_ASKED ? t("refundLater") : t("refundWorking")}</p>
      <progress className="order-progress" aria-label={t("refundWorking")} />
    </Dialog>
  );
}

/** The body of the call, as `POST …/refund` reads it. */
function demandOf(
  order: StaffOrderSheet,
  scope: Scope,
  returned: Map<number, Returned>,
  amount: string,
  restockAll: boolean,
): object {
  const typed = toAmount(amount);
  if (scope === "amount") return { amount: typed };
  if (scope === "all") {
    if (!restockAll) return {};
    const lines = order.lines
      .filter((line) => line.quantity > line.returned_quantity)
      .map((line) => ({ item_id: line.id, quantity: line.quantity - line.returned_quantity, restock: true }));
    return lines.length > 0 ? { lines } : {};
  }
  const lines = [...returned]
    .filter(([, { units }]) => units > 0)
    .map(([item_id, { units, ...said }]) => ({ item_id, quantity: units, ...said }));
  return typed ? { lines, amount: typed } : { lines };
}
