import { type ReactNode, useId } from "react";

interface FieldProps {
  label: ReactNode;
  hint?: string | undefined;
  error?: string | undefined;
  isRequired?: boolean;
  /** Draws the control with what ties it to its label, hint and error. */
  children: (control: {
    id: string;
    "aria-invalid": true | undefined;
    "aria-describedby": string | undefined;
    "aria-required": true | undefined;
  }) => ReactNode;
  /** Below the error. */
  note?: ReactNode;
}

/** A control with its label, its hint and what is wrong with it. */
export function Field({ label, hint, error, isRequired = false, children, note }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div className="field">
      <label className="field__label" htmlFor={id}>
        {label} {isRequired && <span aria-hidden="true">*</span>}
      </label>
      {hint && (
        <p className="field__hint muted" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children({
        id,
        "aria-invalid": error ? true : undefined,
        "aria-describedby": described || undefined,
        "aria-required": isRequired || undefined,
      })}
      {error && (
        <p className="field__error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {note}
    </div>
  );
}
