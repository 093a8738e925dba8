import { useState } from "react";
import { Dialog } from "./dialog";
import { translate } from "./translate";
import words from "./words.json";

const t = translate(words);

interface ConflictDialogProps<Name extends string> {
  title: string;
  /** What both changed: its label, and both versions as people read them. */
  fields: { name: Name; label: string; mine: string; theirs: string }[];
  onDecide: (theirs: ReadonlySet<Name>) => void;
}

/** Somebody saved another version meanwhile: both are shown, and of each field that both changed one is chosen. */
export function ConflictDialog<Name extends string>({ title, fields, onDecide }: ConflictDialogProps<Name>) {
  const [theirs, setTheirs] = useState<ReadonlySet<Name>>(new Set());
  const choose = (name: Name, isTheirs: boolean) => {
    const after = new Set(theirs);
    if (isTheirs) after.add(name);
    else after.delete(name);
    setTheirs(after);
  };
  return (
    <Dialog
      title={title}
      onClose={() => onDecide(new Set())}
      actions={
        <button className="button button--primary" type="button" onClick={() => onDecide(theirs)}>
          {t("conflict.go")}
        </button>
      }
    >
      <p>{fields.length ? t("conflict.text") : t("conflict.noField")}</p>
      {fields.map((field) => (
        <fieldset className="conflict" key={field.name}>
          <legend>{field.label}</legend>
          {(["mine", "theirs"] as const).map((whose) => (
            <label className="check" key={whose}>
              <input
                type="radio"
                name={`keep-${field.name}`}
                checked={theirs.has(field.name) === (whose === "theirs")}
                onChange={() => choose(field.name, whose === "theirs")}
              />
              <span>
                {whose === "mine" ? t("conflict.mine") : t("conflict.theirs")}
                <span className="conflict__text">{field[whose]}</span>
              </span>
            </label>
          ))}
        </fieldset>
      ))}
    </Dialog>
  );
}
