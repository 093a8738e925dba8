/** What leaves in one parcel: everything that is still here, unless staff take something out. */
import { useEffect, useState } from "react";
import type { SheetLine, SheetShipment, StaffOrderProps, StaffOrderSheet } from "@/api/types";
import { formatMoment, today } from "@/staff/shared/dates";
import { pieceLabel } from "@/staff/shared/piece-label";
import { translate } from "@/staff/shared/translate";
import { orderPath } from "./calls";
import { Piece, piecesOf, Stepper } from "./pieces";
import { Field, MessageField, PreviewedStep } from "./previewed-step";
import words from "./words.json";

const t = translate(words);

interface Props {
  order: StaffOrderSheet;
  props: StaffOrderProps;
  /** The message that was typed before, where the status was to be changed. */
  begun: string | undefined;
  onClose: () => void;
}

export function ParcelDialog({ order, props, begun, onClose }: Props) {
  // What was chosen by hand: the rest follows the order, of which pieces may leave or be refunded meanwhile.
  const [units, setUnits] = useState(new Map<number, number>());
  const [tracking, setTracking] = useState<Tracking>({
    tracking_number: "",
    carrier: props.carriers[0]?.code ?? "",
  });
  const [message, setMessage] = useState("");
  const [sentOn, setSentOn] = useState(today);
  const [wrongDay, setWrongDay] = useState<string[]>([]);
  // Not from the start: what was typed before asks to be kept as what is typed here does.
  useEffect(() => {
    if (begun) setMessage(begun);
  }, [begun]);
  const here = order.lines.filter((line) => line.quantity > line.sent_quantity);
  const chosen = (line: SheetLine) =>
    Math.min(units.get(line.id) ?? line.to_send, line.quantity - line.sent_quantity);
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
        ...tracking,
        message,
        sent_on: sentOn || null,
        is_last: isLast,
      }}
      done={t("parcelSent")}
      failed={t("statusFailed")}
      onClose={onClose}
      onProblem={(problem) => {
        setWrongDay(problem.errors.sent_on ?? []);
        return false;
      }}
      isReady={here.some((line) => chosen(line) > 0)}
    >
      <p>{t("parcelText")}</p>
      <TrackingFields carriers={props.carriers} value={tracking} onChange={setTracking} isOptional />
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
      <Field label={t("sentOn")} errors={wrongDay}>
        <input
          className="input"
          type="date"
          value={sentOn}
          max={today()}
          aria-invalid={wrongDay.length > 0}
          onChange={(event) => {
            setSentOn(event.target.value);
            setWrongDay([]);
          }}
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

/** Another number or carrier of a parcel that has left, or none: the order keeps its status. */
export function NumberDialog({ order, props, shipment, onClose }: NumberProps) {
  const { tracking_number, carrier } = shipment;
  const [tracking, setTracking] = useState<Tracking>({ tracking_number, carrier });
  const [message, setMessage] = useState("");
  const number = tracking.tracking_number.trim();
  return (
    <PreviewedStep
      order={order}
      title={t(tracking_number ? "correctNumber" : "addNumber")}
      path={orderPath(order.id, "/status")}
      body={{ status: order.status, message, ...tracking, shipment_id: shipment.id }}
      done={t("statusSaved")}
      failed={t("statusFailed")}
      onClose={onClose}
      isReady={number !== tracking_number || (number !== "" && tracking.carrier !== carrier)}
    >
      <p>
        {t("parcelOf", { day: formatMoment(shipment.sent_at) })}
        <span className="order-choice__why">{piecesOf(order, shipment.lines).join(", ")}</span>
      </p>
      <TrackingFields carriers={props.carriers} value={tracking} onChange={setTracking} />
      {tracking_number && <p role="status">{!number && t("numberTakenBack")}</p>}
      <MessageField message={message} onMessage={setMessage} />
    </PreviewedStep>
  );
}

interface Tracking {
  tracking_number: string;
  carrier: string;
}

interface TrackingProps {
  carriers: StaffOrderProps["carriers"];
  value: Tracking;
  onChange: (value: Tracking) => void;
  isOptional?: boolean;
}

function TrackingFields({ carriers, value, onChange, isOptional = false }: TrackingProps) {
  return (
    <div className="order-pair">
      <Field label={t("carrier")}>
        <select
          className="select"
          value={value.carrier}
          onChange={(event) => onChange({ ...value, carrier: event.target.value })}
        >
          {carriers.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      <Field label={t("tracking")} isOptional={isOptional}>
        <input
          className="input"
          value={value.tracking_number}
          maxLength={100}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          onChange={(event) => onChange({ ...value, tracking_number: event.target.value })}
        />
      </Field>
    </div>
  );
}
