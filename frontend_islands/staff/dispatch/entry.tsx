/** How orders and their numbers come in: scanned or typed one by one, or pasted from the carrier. */
import { type FormEvent, type RefObject, useState } from "react";
import type { DispatchProps, ReadyOrder } from "@/api/types";
import { ProblemText } from "@/staff/shared/problem";
import { translate } from "@/staff/shared/translate";
import { findReady } from "./calls";
import { readNumbers, readReference } from "./numbers";
import words from "./words.json";

const t = translate(words);

interface Props {
  orders: ReadyOrder[];
  scan: RefObject<HTMLInputElement | null>;
  carriers: DispatchProps["carriers"];
  carrier: string;
  onCarrier: (carrier: string) => void;
  onFound: (order: ReadyOrder) => void;
  onNumber: (id: string, number: string) => void;
}

export function Entry({ orders, scan, carriers, carrier, onCarrier, onFound, onNumber }: Props) {
  const [typed, setTyped] = useState("");
  const [unknown, setUnknown] = useState("");
  const [failure, setFailure] = useState<unknown>();

  const look = async (event: FormEvent) => {
    event.preventDefault();
    const reference = readReference(typed);
    if (!reference) return;
    setUnknown("");
    setFailure(undefined);
    try {
      const found = orders.find((order) => order.reference === reference) ?? (await findReady(reference));
      if (!found) {
        setUnknown(reference);
        scan.current?.select();
        return;
      }
      // What was typed meanwhile is the next one.
      setTyped((now) => (now === typed ? "" : now));
      onFound(found);
    } catch (error) {
      setFailure(error);
    }
  };

  return (
    <div className="staff-sheet">
      <form className="staff-toolbar" onSubmit={look}>
        <label className="field">
          <span className="field__label">{t("scan")}</span>
          <span className="field__hint muted">{t("scanHint")}</span>
          <input
            ref={scan}
            className="input"
            value={typed}
            maxLength={40}
            autoComplete="off"
            autoCapitalize="characters"
            onChange={({ target }) => setTyped(target.value)}
          />
        </label>
        <label className="field">
          <span className="field__label">{t("carrier")}</span>
          <select className="select" value={carrier} onChange={({ target }) => onCarrier(target.value)}>
            {carriers.map(({ code, name }) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </form>
      <div role="alert">
        {unknown && (
          <p className="alert alert--error">
            {t("scanUnknown", { reference: unknown })}{" "}
            <a href={`/admin/commandes?q=${encodeURIComponent(unknown)}`}>{t("scanSearch")}</a>
          </p>
        )}
        {Boolean(failure) && (
          <p className="alert alert--error">
            <ProblemText error={failure} />
          </p>
        )}
      </div>
      <Paste orders={orders} onNumber={onNumber} />
    </div>
  );
}

function Paste({ orders, onNumber }: Pick<Props, "orders" | "onNumber">) {
  const [text, setText] = useState("");
  const [said, setSaid] = useState<string[]>([]);
  const apply = () => {
    const lines = readNumbers(text);
    const byReference = new Map(orders.map((order) => [order.reference, order.id]));
    // An order leaves in one parcel: a second number of it is no more taken than one of an unknown order.
    const known = lines.filter(
      ({ reference, number }, place) =>
        number &&
        byReference.has(reference) &&
        lines.findIndex((line) => line.number && line.reference === reference) === place,
    );
    const left = lines.filter((line) => !known.includes(line));
    for (const { reference, number } of known) onNumber(byReference.get(reference) ?? "", number);
    setText(left.map((line) => line.text).join("\n"));
    // The list between may be long: what comes next is to read it again.
    if (left.length === 0)
      setTimeout(() => document.querySelector<HTMLElement>(".staff-bulk .button--primary")?.focus());
    setSaid([
      t("pasted", { count: known.length }),
      ...(left.length > 0
        ? [t("pastedUnknown", { references: left.map(({ reference }) => reference).join(", ") })]
        : []),
    ]);
  };
  return (
    <details>
      <summary>{t("paste")}</summary>
      <label className="field">
        <span className="field__label">{t("paste")}</span>
        <span className="field__hint muted">{t("pasteHint")}</span>
        <textarea
          className="textarea"
          rows={4}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <button className="button" type="button" onClick={apply} disabled={!text.trim()}>
        {t("pasteApply")}
      </button>
      <div role="status">
        {said.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
    </details>
  );
}
