/** The statuses that the table allows now; the others say why not. */
import { useState } from "react";
import type { StaffOrderSheet, StatusOffer } from "@/api/types";
import { formatMoney } from "@/lib/money";
import { translate } from "@/staff/shared/translate";
import { isConflict, orderPath } from "./calls";
import { Field, MessageField, PreviewedStep } from "./previewed-step";
import words from "./words.json";

const t = translate(words);
const CLOSED = ["cancelled", "refunded"];

interface Props {
  order: StaffOrderSheet;
  /** Sending has a dialog of its own, with the pieces: it goes on with the message that was typed here. */
  onShip: (message: string) => void;
  onClose: () => void;
}

interface Decision {
  question: string;
  money: string;
}

export function StatusDialog({ order, onShip, onClose }: Props) {
  const [status, setStatus] = useState("");
  const [message, setMessage] = useState("");
  const [reason, setReason] = useState("");
  const [refund, setRefund] = useState<boolean>();
  const [decision, setDecision] = useState<Decision>();
  const chosen = order.allowed_statuses.find((offer) => offer.status === status);
  const isAddition = status === order.status;
  const asksReason = chosen?.needs_reason || (decision && refund === false);
  const isReady =
    status !== "" &&
    (!isAddition || message !== "") &&
    (!decision || refund !== undefined) &&
    (!asksReason || reason.trim() !== "");

  function decide(next?: Decision) {
    setDecision(next);
    setRefund(undefined);
  }

  function choose(offer: string) {
    if (offer === "shipped" && order.may.ship) return onShip(message);
    setStatus(offer);
    return decide();
  }

  return (
    <PreviewedStep
      order={order}
      title={t("changeStatus")}
      path={orderPath(order.id, "/status")}
      body={{ status, message, reason, ...(decision && { refund }) }}
      done={t("statusSaved")}
      failed={isAddition ? t("statusFailed") : t("statusError")}
      onClose={onClose}
      isReady={isReady}
      onProblem={(problem) => {
        // After a conflict it is perhaps another amount.
        if (isConflict(problem)) decide();
        if (problem.code !== "refund_decision_needed") return false;
        decide({ question: problem.detail, money: String(problem.body.money) });
        return true;
      }}
    >
      <fieldset className="order-choices">
        <legend>{t("newStatus")}</legend>
        {order.paid_at && (
          <label className="order-choice">
            <input type="radio" name="status" checked={isAddition} onChange={() => choose(order.status)} />
            <span>{t("addToStatus")}</span>
          </label>
        )}
        {order.allowed_statuses
          .filter((offer) => offer.status !== order.status)
          .map((offer) => (
            <Offer
              key={offer.status}
              offer={offer}
              isForbidden={CLOSED.includes(offer.status) && !order.may.cancel}
              isChosen={status === offer.status}
              onChoose={() => choose(offer.status)}
            />
          ))}
      </fieldset>
      {status === "processing" && order.charged_early > 0 && <p>{t("chargedEarly")}</p>}
      {decision && (
        <fieldset className="order-choices">
          <legend>{t("refundQuestion")}</legend>
          <p>{decision.question}</p>
          <label className="order-choice">
            <input type="radio" name="refund" checked={refund === true} onChange={() => setRefund(true)} />
            <span>
              {Number(decision.money) > 0
                ? t("refundYes", { amount: formatMoney(decision.money) })
                : t("closeOnly")}
            </span>
          </label>
          {status === "cancelled" && Number(decision.money) > 0 && (
            <label className="order-choice">
              <input
                type="radio"
                name="refund"
                checked={refund === false}
                onChange={() => setRefund(false)}
              />
              <span>{t("refundNo")}</span>
            </label>
          )}
        </fieldset>
      )}
      {asksReason && (
        <Field label={t(refund === false ? "reasonRead" : "reason")}>
          <textarea
            className="textarea"
            value={reason}
            maxLength={500}
            required
            onChange={(event) => setReason(event.target.value)}
          />
        </Field>
      )}
      <MessageField message={message} onMessage={setMessage} />
    </PreviewedStep>
  );
}

interface OfferProps {
  offer: StatusOffer;
  isForbidden: boolean;
  isChosen: boolean;
  onChoose: () => void;
}

function Offer({ offer, isForbidden, isChosen, onChoose }: OfferProps) {
  const reason = isForbidden ? t("notAllowed") : offer.reason;
  const isAllowed = offer.allowed && !isForbidden;
  return (
    <label className="order-choice">
      <input type="radio" name="status" checked={isChosen} disabled={!isAllowed} onChange={onChoose} />
      <span>
        <span className={`status status--${offer.status}`}>{offer.status_label}</span>
        {!isAllowed && <span className="order-choice__why">{reason}</span>}
      </span>
    </label>
  );
}
