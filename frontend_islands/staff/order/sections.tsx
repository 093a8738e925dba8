/** What the page of an order shows: pieces, parcels, people, money, documents. */
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import type { SheetLine, SheetRefund, SheetShipment, StaffOrderProps, StaffOrderSheet } from "@/api/types";
import { postJson } from "@/lib/api";
import { Icon } from "@/lib/icon";
import { formatMoney } from "@/lib/money";
import { toast } from "@/lib/toast";
import { formatDay, formatMoment } from "@/staff/shared/dates";
import { toastProblem } from "@/staff/shared/problem";
import { translate } from "@/staff/shared/translate";
import { orderPath, useRefresh } from "./calls";
import { Piece, piecesOf } from "./pieces";
import words from "./words.json";

const t = translate(words);

export function Sheet({ title, children }: { title: string; children: ReactNode }) {
  const heading = useId();
  return (
    <section className="staff-sheet" aria-labelledby={heading}>
      <h2 className="staff-sheet__title" id={heading}>
        {title}
      </h2>
      {children}
    </section>
  );
}

export function Pieces({ order }: { order: StaffOrderSheet }) {
  return (
    <Sheet title={t("pieces")}>
      <ul className="order-pieces">
        {order.lines.map((line) => (
          <Piece key={line.id} line={line}>
            <div className="order-piece__amount">
              <strong>
                {line.quantity} × {formatMoney(line.price)}
              </strong>
              {factsOf(line).map((fact) => (
                <span key={fact} className="muted">
                  {fact}
                </span>
              ))}
            </div>
          </Piece>
        ))}
      </ul>
    </Sheet>
  );
}

function factsOf(line: SheetLine): string[] {
  return [
    line.free_quantity > 0 && t("free", { count: line.free_quantity }),
    line.made_quantity > 0 && t("made", { count: line.made_quantity }),
    line.sent_quantity > 0 && t("sent", { count: line.sent_quantity, total: line.quantity }),
    line.withdrawn_quantity > 0 && t("withdrawn", { count: line.withdrawn_quantity }),
    line.returned_quantity > 0 && t("returned", { count: line.returned_quantity }),
  ].filter((fact): fact is string => fact !== false);
}

interface ParcelsProps {
  order: StaffOrderSheet;
  onUndo: (shipment: SheetShipment) => void;
  onNumber: (shipment: SheetShipment) => void;
}

export function Parcels({ order, onUndo, onNumber }: ParcelsProps) {
  if (order.shipments.length === 0) return null;
  const last = order.shipments.findLast((shipment) => !shipment.undone_at);
  const isSent = order.status === "shipped";
  const isAtWork = order.status === "confirmed" || order.status === "processing";
  return (
    <Sheet title={t("parcels")}>
      <ul className="order-parcels">
        {order.shipments.map((shipment) => (
          <li key={shipment.id}>
            <p>
              <strong>{t("parcelOf", { day: formatMoment(shipment.sent_at) })}</strong>
              {shipment.carrier_label && ` · ${shipment.carrier_label}`}
              {shipment.tracking_number && ` · ${shipment.tracking_number}`}
            </p>
            <p className="muted">{piecesOf(order, shipment.lines).join(", ")}</p>
            {shipment.undone_at ? (
              <p className="muted">{t("parcelUndone", { reason: shipment.undo_reason })}</p>
            ) : (
              <p className="order-links">
                {shipment.parcel_url && (
                  <a href={shipment.parcel_url} target="_blank" rel="noreferrer">
                    {t("follow")}
                  </a>
                )}
                <a
                  href={orderPath(order.id, `/slip.pdf?shipment=${shipment.id}`)}
                  target="_blank"
                  rel="noreferrer"
                >
                  {t("slipOf")}
                </a>
                {order.may.note && (isAtWork || isSent) && (
                  <button className="link-button" type="button" onClick={() => onNumber(shipment)}>
                    {t(shipment.tracking_number ? "correctNumber" : "addNumber")}
                  </button>
                )}
                {order.may.note && (isAtWork || (isSent && shipment === last)) && (
                  <button className="link-button" type="button" onClick={() => onUndo(shipment)}>
                    {t("undoParcel")}
                  </button>
                )}
              </p>
            )}
          </li>
        ))}
      </ul>
    </Sheet>
  );
}

interface PeopleProps {
  order: StaffOrderSheet;
  props: StaffOrderProps;
  onCorrect: () => void;
}

export function People({ order, props, onCorrect }: PeopleProps) {
  const country = (code: string, custom: string) =>
    custom || (props.countries.find((each) => each.code === code)?.name ?? code);
  const lines = (address: Record<string, string>) =>
    [
      address.company,
      address.address,
      `${address.postalCode} ${address.city}`.trim(),
      country(address.country ?? "", address.customCountry ?? ""),
      address.phone,
    ].filter(Boolean);
  const { shipping_address: delivery, billing_address: billing, gift } = order;
  return (
    <Sheet title={t("addresses")}>
      <h3>{t("deliverTo")}</h3>
      <address className="order-address">
        <strong>{gift?.recipient ?? `${delivery.firstName} ${delivery.lastName}`}</strong>
        {lines(delivery).map((line) => (
          <span key={line}>{line}</span>
        ))}
      </address>
      {gift && <p>{t("gift", { name: gift.recipient ?? "" })}</p>}
      {gift?.message && <p>{t("giftMessage", { message: gift.message })}</p>}
      {delivery.notes && (
        <p className="order-customer-notes">{t("customerNotes", { notes: delivery.notes })}</p>
      )}
      {order.may.correct_address && (
        <button className="button button--small" type="button" onClick={onCorrect}>
          {t("correctAddress")}
        </button>
      )}
      <h3>{t("billedTo")}</h3>
      {billing ? (
        <address className="order-address">
          <strong>{billing.name}</strong>
          {lines(billing).map((line) => (
            <span key={line}>{line}</span>
          ))}
        </address>
      ) : (
        <p className="muted">{t("sameBilling")}</p>
      )}
      <p>
        <a href={`mailto:${order.email}`}>{order.email}</a> · {order.user_id ? t("member") : t("guest")}
      </p>
    </Sheet>
  );
}

const PAYMENT_STATES: Record<string, string> = {
  due: t("stateDue"),
  paid: t("statePaid"),
  partly_refunded: t("statePartlyRefunded"),
  scheduled: t("stateScheduled"),
  overdue: t("stateOverdue"),
  void: t("stateVoid"),
  written_off: t("stateWrittenOff"),
  refunded: t("moneyRefunded"),
};
const REFUND_STATES: Record<string, string> = {
  pending: t("refundPending"),
  succeeded: t("refundSucceeded"),
  failed: t("refundFailed"),
};

export function Money({ order, onRefund }: { order: StaffOrderSheet; onRefund: () => void }) {
  const { money } = order;
  const rows: [string, string][] = [
    [t("subtotal"), order.subtotal],
    [t("delivery"), order.shipping_cost],
    [t("total"), order.total_amount],
  ];
  if (Number(order.promotion_savings) > 0)
    rows.unshift([t("beforeSavings"), order.original_total], [t("savings"), `-${order.promotion_savings}`]);
  const outcome: [string, string][] = money
    ? [
        [t("moneyRefunded"), money.refunded],
        [t("moneyUnderWay"), money.under_way],
        [t("moneyFailed"), money.failed],
        [t("moneyDisputed"), money.disputed],
        [t("moneyRetained"), money.retained],
        [t("moneyToCome"), money.to_come],
      ]
    : [];
  const several = order.payments.length > 1;
  return (
    <Sheet title={t("money")}>
      <dl className="order-sums">
        {[...rows, ...outcome.filter(([, amount]) => Number(amount) > 0)].map(([label, amount]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{formatMoney(amount)}</dd>
          </div>
        ))}
      </dl>
      <ul className="order-payments">
        {order.payments.map((payment) => (
          <li key={payment.position}>
            {t(several ? "paymentLine" : "payment", {
              position: payment.position,
              day: formatDay(payment.due),
              amount: formatMoney(payment.amount),
              state: PAYMENT_STATES[payment.state] ?? t("stateOther"),
            })}
          </li>
        ))}
        {order.refunds.map((refund) => (
          <li key={refund.id}>
            {t("refundOf", { amount: formatMoney(refund.amount) })} ·{" "}
            {REFUND_STATES[refund.progress] ?? refund.progress}
            {refund.reason && ` · ${refund.reason}`}
            {refund.error && <span className="order-error"> {refund.error}</span>}
            <RestockButtons order={order} refund={refund} />
          </li>
        ))}
      </ul>
      {order.may.refund && Number(order.refundable) > 0 && (
        <button className="button button--small" type="button" onClick={onRefund}>
          <Icon name="return" />
          {t("refund")}
        </button>
      )}
    </Sheet>
  );
}

/** Puts refunded pieces back on the shelf, when that was not decided with the refund. */
function RestockButtons({ order, refund }: { order: StaffOrderSheet; refund: SheetRefund }) {
  const refresh = useRefresh(order.id);
  const restock = useMutation({
    mutationFn: (line: number) => postJson(`/api/admin/refunds/${refund.id}/lines/${line}/restock`, {}),
    onSuccess: () => toast({ kind: "success", title: t("restocked") }),
    onError: (error) => toastProblem(t("error"), error),
    onSettled: () => void refresh(),
  });
  if (!order.may.restock) return null;
  return refund.lines
    .filter((line) => !line.restocked)
    .map((line) => (
      <button
        key={line.id}
        className="link-button"
        type="button"
        disabled={restock.isPending}
        onClick={() => restock.mutate(line.id)}
      >
        {t("restockLine", { pieces: piecesOf(order, [line]).join() })}
      </button>
    ));
}

export function Documents({ order, props }: { order: StaffOrderSheet; props: StaffOrderProps }) {
  return (
    <Sheet title={t("documents")}>
      <ul className="order-documents">
        {order.documents.map((entry) => (
          <li key={entry.url}>
            <a href={entry.url} target="_blank" rel="noreferrer">
              {entry.is_contract && t("contract")}
              {!entry.is_contract &&
                t(entry.is_credit_note ? "creditNote" : "invoice", { number: entry.number })}
            </a>
          </li>
        ))}
        {order.paid_at && order.may.note && (
          <>
            <li>
              <a href={orderPath(order.id, "/slip.pdf")} target="_blank" rel="noreferrer">
                {t("slip")}
              </a>
            </li>
            <li>
              <a href={`/api/admin/orders/labels.pdf?order=${order.id}`} target="_blank" rel="noreferrer">
                {t("label")}
              </a>
            </li>
          </>
        )}
      </ul>
      <h3>{t("more")}</h3>
      <ul className="order-documents">
        {props.links.map((link) => (
          <li key={link.url}>
            <a href={link.url}>{link.text}</a>
          </li>
        ))}
      </ul>
    </Sheet>
  );
}
