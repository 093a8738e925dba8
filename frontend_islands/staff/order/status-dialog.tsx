/** The statuses that the table allows now; the others say why not. */
import { useState } from "react";
import type { StaffOrderProps, StaffOrderSheet, StatusOffer } from "@/api/types";
import { formatMoney } from "@/lib/money";
import { formatMoment } from "@/staff/shared/dates";
import { translate } from "@/staff/shared/translate";
import { isConflict, orderPath } from "./calls";
import { piecesOf } from "./pieces";
import { Field, MessageField, PreviewedStep } from "./previewed-step";
import words from "./words.json";

const t = translate(words);
const CLOSED = ["cancelled", "refunded"];

interface Props {
  order: StaffOrderSheet;
  props: StaffOrderProps;
  /** Sending has a dialog of its own, with the pieces: it goes on with what was typed here. */
  onShip: (begun: Begun) => void;
  onClose: () => void;
}

export interface Begun {
  message: string;
  tracking: string;
}

interface Decision {
  question: string;
  money: string;
}

export function StatusDialog({ order, props, onShip, onClose }: Props) {
  const [status, setStatus] = useState("");
  const [message, setMessage] = useState("");
  const [tracking, setTracking] = useState("");
  const parcels = order.shipments.filter((shipment) => !shipment.undone_at);
  const [parcel, setParcel] = useState(parcels.at(-1));
  const [carrier, setCarrier] = useState(parcel?.carrier ?? usualCarrier(props));
  const [reason, setReason] = useState("");
  const [refund, setRefund] = useState<boolean>();
  const [decision, setDecision] = useState<Decision>();
  const chosen = order.allowed_statuses.find((offer) => offer.status === status);
  const isAddition = status === order.status;
  const asksReason = chosen?.needs_reason || (decision && refund === false);
  const isReady =
    status !== "" &&
    (!isAddition || message !== "" || tracking !== "") &&
    (!decision || refund !== undefined) &&
    (!asksReason || reason.trim() !== "");

  function decide(next?: Decision) {
    setDecision(next);
    setRefund(undefined);
  }

  function choose(offer: string) {
    if (offer === "shipped" && order.may.ship) return onShip({ message, tracking });
    setStatus(offer);
    return decide();
  }

  return (
    <PreviewedStep
      order={order}
      title={t("changeStatus")}
      path={orderPath(order.id, "/status")}
      body={{
        ...{ status, message, reason },
        ...(isAddition &&
          tracking && { tracking_number: tracking, carrier, shipment_id: parcel?.id ?? null }),
        ...(decision && { refund }),
      }}
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
      {isAddition && parcels.length > 1 && (
        <fieldset className="order-choices">
          <legend>{t("trackingOf")}</legend>
          {parcels.map((shipment) => (
            <label key={shipment.id} className="order-choice">
              <input
                type="radio"
                name="parcel"
                checked={shipment.id === parcel?.id}
                onChange={() => {
                  setParcel(shipment);
                  setCarrier(shipment.carrier);
                }}
              />
              <span>
                {t("parcelOf", { day: formatMoment(shipment.sent_at) })}
                {shipment.tracking_number && ` · ${shipment.tracking_number}`}
                <span className="order-choice__why">{piecesOf(order, shipment.lines).join(", ")}</span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      {isAddition && (
        <TrackingFields
          props={props}
          tracking={tracking}
          carrier={carrier}
          onTracking={setTracking}
          onCarrier={setCarrier}
          {...(parcel &&
            parcels.length === 1 && { hint: t("trackingOfLast", { day: formatMoment(parcel.sent_at) }) })}
        />
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

/** The one that a new parcel begins with. */
export const usualCarrier = ({ carriers }: StaffOrderProps): string => carriers[0]?.code ?? "";

interface TrackingProps {
  props: StaffOrderProps;
  tracking: string;
  carrier: string;
  onTracking: (value: string) => void;
  onCarrier: (value: string) => void;
  hint?: string;
}

export function TrackingFields({ props, tracking, carrier, onTracking, onCarrier, hint }: TrackingProps) {
  return (
    <div className="order-pair">
      <Field label={t("carrier")}>
        <select className="select" value={carrier} onChange={(event) => onCarrier(event.target.value)}>
          {props.carriers.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      <Field label={t("tracking")} {...(hint && { hint })} isOptional>
        <input
          className="input"
          value={tracking}
          maxLength={100}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          onChange={(event) => onTracking(event.target.value)}
        />
      </Field>
    </div>
  );
}
