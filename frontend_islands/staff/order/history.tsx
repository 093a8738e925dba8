/** What happened to an order, newest first: steps its customer saw, the journal, the mails. */
import { useId } from "react";
import type { StaffOrderSheet } from "@/api/types";
import { formatMoney } from "@/lib/money";
import { formatMoment } from "@/staff/shared/dates";
import { translate } from "@/staff/shared/translate";
import words from "./words.json";

const t = translate(words);

/** Events with words of their own; steps of a status, and that a parcel left, are told by the tracking. */
const EVENTS: Record<string, string> = {
  "order.placed": t("event.placed"),
  "payment.page_opened": t("event.pageOpened"),
  "payment.received": t("event.received"),
  "payment.cards_refused": t("event.cardsRefused"),
  "order.joined_account": t("event.joined"),
  "order.email_changed": t("event.email"),
  "delivery.address_corrected": t("event.address"),
  "order.status_added_to": t("event.number"),
  "delivery.promise_changed": t("event.promise"),
  "delivery.day_set": t("event.deliveryDay"),
  "order.archived": t("event.archived"),
  "order.restored": t("event.restored"),
  "shipment.undone": t("event.parcelUndone"),
  "photo.sent": t("event.photoSent"),
  "photo.removed": t("event.photoRemoved"),
  "refund.decided": t("event.refundDecided"),
  "refund.succeeded": t("event.refundDone"),
  "refund.failed": t("event.refundFailed"),
  "refund.restocked": t("event.restocked"),
  "invoice.issued": t("event.invoice"),
  "credit_note.issued": t("event.credit"),
  "installments.paused": t("event.paused"),
  "installments.unpaused": t("event.unpaused"),
  "withdrawal.declared": t("event.withdrawal"),
  "withdrawal.return_taken_back": t("event.returnTakenBack"),
  "order.retention_decided": t("event.retention"),
};

interface Step {
  key: string;
  at: string;
  what: string;
  details: string[];
  who: string | null | undefined;
  isUndone?: boolean;
}

export function History({ order }: { order: StaffOrderSheet }) {
  const heading = useId();
  return (
    <section className="staff-sheet" aria-labelledby={heading}>
      <h2 className="staff-sheet__title" id={heading}>
        {t("history")}
      </h2>
      <ol className="timeline">
        {stepsOf(order).map((step) => (
          <li key={step.key}>
            <p className="timeline__what">{step.isUndone ? <s>{step.what}</s> : step.what}</p>
            {step.details.map((detail) => (
              <p key={detail}>{detail}</p>
            ))}
            <p className="timeline__when">
              {t("by", { when: formatMoment(step.at), who: step.who ?? t("shop") })}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

function stepsOf(order: StaffOrderSheet): Step[] {
  const tracking = order.tracking.map((entry, index) => ({
    key: `tracking-${index}`,
    at: entry.created_at,
    what: entry.status_label,
    details: [entry.message, entry.tracking_number].filter(Boolean),
    who: entry.actor,
    isUndone: entry.undone,
  }));
  const events = order.events.flatMap((event, index) => {
    const what = EVENTS[event.name];
    // An addition to a status is told by the tracking, unless it took the place of something.
    if (!what || (event.name === "order.status_added_to" && !event.change)) return [];
    const { number, reason, amount } = event.details;
    const money = amount && /^\d+\.\d\d$/.test(amount) ? formatMoney(amount) : "";
    return [
      {
        key: `event-${index}`,
        at: event.created_at,
        what,
        details: [number, money, reason, ...changeOf(event)].filter((text): text is string => Boolean(text)),
        who: event.actor,
      },
    ];
  });
  const mails = order.mails.map((mail, index) => ({
    key: `mail-${index}`,
    at: mail.sent_at ?? mail.created_at,
    what: mailState(mail),
    details: [mail.subject].filter(Boolean),
    who: null,
  }));
  return [...tracking, ...events, ...mails].sort((one, other) => other.at.localeCompare(one.at));
}

function changeOf({ change }: StaffOrderSheet["events"][number]): string[] {
  if (!change) return [];
  const { before, after } = change;
  return [t("before", { what: before || t("nothing") }), t("after", { what: after || t("nothing") })];
}

function mailState(mail: StaffOrderSheet["mails"][number]): string {
  if (mail.state === "sent") return t("mailSent");
  if (mail.state === "failed") return t("mailFailed");
  return t("mailWaiting", { when: formatMoment(mail.next_attempt_at) });
}
