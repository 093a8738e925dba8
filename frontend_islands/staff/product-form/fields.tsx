import type { ReactNode } from "react";
import { type RegisterOptions, useFormContext } from "react-hook-form";
import { STAFF_LIMITS } from "@/api/limits";
import { Field } from "../shared/field";
import { translate } from "../shared/translate";
import { labelOf } from "./labels";
import { type FlagName, faultOf, type LineName, type Values } from "./values";
import words from "./words.json";

const t = translate(words);
const FAULTS = {
  required: "errors.required",
  tooLong: "errors.tooLong",
  amount: "errors.amount",
  above: "errors.above",
  whole: "errors.whole",
  most: "errors.most",
  height: "errors.height",
} as const;

interface LineProps {
  name: LineName;
  hint?: string;
  isRequired?: boolean;
  isLong?: boolean;
  isDisabled?: boolean;
  inputMode?: "decimal" | "numeric";
  options?: readonly { value: string; text: string }[];
  /** After somebody changed it. */
  onChange?: () => void;
  /** Below the control. */
  children?: ReactNode;
}

/** One line of the form, checked by the limits that the server has. */
export function Line({
  name,
  hint,
  isRequired = false,
  isLong,
  isDisabled,
  inputMode,
  options,
  onChange,
  children,
}: LineProps) {
  const { register, getFieldState, formState } = useFormContext<Values>();
  const { error } = getFieldState(name, formState);
  const rules: RegisterOptions<Values, LineName> = {
    validate: (typed) => {
      const fault = faultOf(name, String(typed), isRequired);
      return fault ? t(FAULTS[fault.key], fault.max === undefined ? {} : { max: fault.max }) : true;
    },
    ...(onChange && { onChange }),
  };
  const limit = (STAFF_LIMITS.AdminProductRequest as Record<string, number>)[name];
  const maxLength = inputMode ? undefined : limit;
  return (
    <Field label={labelOf(name)} hint={hint} error={error?.message} isRequired={isRequired} note={children}>
      {(control) => {
        const shared = { ...control, disabled: isDisabled, ...register(name, rules) };
        if (options)
          return (
            <select className="select" {...shared}>
              <option value="">{t("choose")}</option>
              {options.map(({ value, text }) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          );
        if (isLong) return <textarea className="textarea" rows={4} maxLength={maxLength} {...shared} />;
        return (
          <input
            className="input"
            inputMode={inputMode}
            maxLength={maxLength}
            autoComplete="off"
            {...shared}
          />
        );
      }}
    </Field>
  );
}

export function Flag({
  name,
  isDisabled,
  onChange,
}: {
  name: FlagName;
  isDisabled?: boolean;
  onChange?: () => void;
}) {
  const { register, getFieldState, formState } = useFormContext<Values>();
  const { error } = getFieldState(name, formState);
  return (
    <div className="field">
      <label className="check">
        <input type="checkbox" disabled={isDisabled} {...register(name, onChange && { onChange })} />
        <span>{labelOf(name)}</span>
      </label>
      {error?.message && <p className="field__error">{error.message}</p>}
    </div>
  );
}

/** A part of the form that folds; closed ones keep what was typed. */
export function Section({
  title,
  isOpen,
  children,
}: {
  title: string;
  isOpen?: boolean;
  children: ReactNode;
}) {
  return (
    <details className="staff-sheet product-form__section" open={isOpen}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}
