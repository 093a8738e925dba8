import { useId } from "react";
import type { BuyFinish } from "./props";

interface Option<Value> {
  value: Value;
  label: string;
  /** The price, or why it cannot be chosen. */
  detail: string;
  image: BuyFinish["image"];
  isOpen: boolean;
}

interface ChoiceCardsProps<Value> {
  legend: string;
  name: string;
  chosen: Value | null;
  options: Option<Value>[];
  onChoose: (value: Value) => void;
}

/** Radio buttons drawn as cards. What is sold out stays visible, with the reason, and cannot be chosen. */
export function ChoiceCards<Value extends string | number>(props: ChoiceCardsProps<Value>) {
  const { legend, name, chosen, options, onChoose } = props;
  const id = useId();
  return (
    <fieldset className="radio-cards">
      <legend className="radio-cards__legend">{legend}</legend>
      <div className="radio-cards__list">
        {options.map(({ value, label, detail, image, isOpen }) => (
          <label className="radio-card" key={value}>
            <input
              className="radio-card__input"
              type="radio"
              name={name}
              value={value}
              aria-describedby={`${id}-${value}`}
              checked={value === chosen}
              disabled={!isOpen}
              onChange={() => onChoose(value)}
            />
            {image && <img className="radio-card__photo" src={image.url} alt="" width={64} height={64} />}
            <span className="radio-card__body">
              <span className="radio-card__title">{label}</span>
              <span className="radio-card__detail" id={`${id}-${value}`}>
                {detail}
              </span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
