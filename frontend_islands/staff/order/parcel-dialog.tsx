/** What leaves in one parcel: everything that is still here, unless staff take something out. */
import { useEffect, useState } from "react";
import type { SheetLine, SheetShipment, StaffOrderProps, StaffOrderSheet } from "@/api/types";
import { formatMoment, today } from "@/staff/shared/dates";
import { pieceLabel } from "@/staff/shared/piece-label";
import { translate } from "@/staff/shared/translate";
import { orderPath } from "./calls";
import { Piece, piecesOf, Stepper } from "./pieces";
import { Field, MessageField, PreviewedStep } from "./previewed-step";
import { type Begun, TrackingFields, usualCarrier } from "./status-dialog";
import words from "./words.json";

const t = translate(words);

interface Props {
  order: StaffOrderSheet;
  props: StaffOrderProps;
  begun: Begun | undefined;
  onClose: () => void;
}

export function ParcelDialog({ order, props, begun, onClose }: Props) {
  const [units, setUnits] = useState(() => new Map(order.lines.map((line) => [line.id, line.to_send])));
  const [tracking, setTracking] = useState("");
  const [carrier, setCarrier] = useState(usualCarrier(props));
  const [message, setMessage] = useState("");
  const [sentOn, setSentOn] = useState(today);
  // Not from the start: what was typed before asks to be kept as what is typed here does.
  useEffect(() => {
    if (!begun) return;
    setMessage(begun.message);
    setTracking(begun.tracking);
  }, [begun]);
  const here = order.lines.filter((line) => line.quantity > line.sent_quantity);
  const chosen = (line: SheetLine) => units.get(line.id) ?? 0;
  const stays = here.reduce((sum, line) => sum + Math.max(line.to_send - chosen(line), 0), 0);
  const isLast = stays === 0;

  return (
    <PreviewedStep
      order={order}
      title={t("parcelTitle")}
      path={orderPath(order.id, "/shipments")}
      body={{
        lines: here
          .filter((line) => chosen(line) > 0)
          .map((line) => ({ item_id: line.id, quantity: chosen(line) })),
        tracking_number: tracking,
        carrier,
        message,
        sent_on: sentOn || null,
        is_last: isLast,
      }}
      done={t("parcelSent")}
      failed={t("statusFailed")}
      onClose={onClose}
      isReady={here.some((line) => chosen(line) > 0)}
    >
      <p>{t("parcelText")}</p>
      <TrackingFields
        props={props}
        tracking={tracking}
        carrier={carrier}
        onTracking={setTracking}
        onCarrier={setCarrier}
      />
      <ul className="order-pieces">
        {here.map((line) => (
          <Piece key={line.id} line={line}>
            <Stepper
              label={t("quantityOf", { piece: pieceLabel(line.product_name, line.detail) })}
              value={chosen(line)}
              most={line.quantity - line.sent_quantity}
              onChange={(value) => setUnits(new Map(units).set(line.id, value))}
            />
          </Piece>
        ))}
      </ul>
      <p role="status">{isLast ? t("parcelAll") : t("parcelPart", { count: stays })}</p>
      <Field label={t("sentOn")}>
        <input
          className="input"
          type="date"
          value={sentOn}
          max={today()}
          onChange={(event) => setSentOn(event.target.value)}
        />
      </Field>
      <MessageField message={message} onMessage={setMessage} />
    </PreviewedStep>
  );
}

export function UndoParcelDialog({
  order,
  shipment,
  onClose,
}: {
  order: StaffOrderSheet;
  shipment: SheetShipment;
  onClose: () => void;
}) {
  const [reason, setReason] = useState("");
  const [message, setMessage] = useState("");
  return (
    <PreviewedStep
      order={order}
      title={t("undoParcel")}
      path={orderPath(order.id, `/shipments/${shipment.id}/undo`)}
      body={{ reason, message }}
      done={t("undoParcelDone")}
      failed={t("statusFailed")}
      onClose={onClose}
      isReady={reason.trim() !== ""}
    >
      <p>{t("undoParcelText")}</p>
      <Field label={t("undoReason")}>
        <textarea
          className="textarea"
          value={reason}
          maxLength={500}
          required
          onChange={(event) => setReason(event.target.value)}
        />
      </Field>
      <MessageField message={message} onMessage={setMessage} />
    </PreviewedStep>
  );
}

interface NumberProps extends Omit<Props, "begun"> {
  shipment: SheetShipment;
}

/** Another number or carrier of a parcel that has left: the order keeps its status. */
export function NumberDialog({ order, props, shipment, onClose }: NumberProps) {
  const [tracking, setTracking] = useState(shipment.tracking_number);
  const [carrier, setCarrier] = useState(shipment.carrier);
  const [message, setMessage] = useState("");
  const number = tracking.trim();
  return (
    <PreviewedStep
      order={order}
      title={t(shipment.tracking_number ? "correctNumber" : "addNumber")}
      path={orderPath(order.id, "/status")}
      body={{
        ...{ status: order.status, message, tracking_number: tracking, carrier },
        shipment_id: shipment.id,
      }}
      done={t("statusSaved")}
      failed={t("statusFailed")}
      onClose={onClose}
      isReady={number !== "" && (number !== shipment.tracking_number || carrier !== shipment.carrier)}
    >
      <p>
        {t("parcelOf", { day: formatMoment(shipment.sent_at) })}
        <span className="order-choice__why">{piecesOf(order, shipment.lines).join(", ")}</span>
      </p>
      <TrackingFields
        props={props}
        tracking={tracking}
        carrier={carrier}
        onTracking={setTracking}
        onCarrier={setCarrier}
      />
      <MessageField message={message} onMessage={setMessage} />
    </PreviewedStep>
  );
}
