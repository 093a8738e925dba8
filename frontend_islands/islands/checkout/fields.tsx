import { type ComponentProps, type MouseEvent, type Ref, useState } from "react";
import { LIMITS } from "@/api/limits";
import { useTranslation } from "@/runtime/react";
import type { Errors, Form } from "./use-form";
import { FIELDS, type FieldName, type TextName } from "./validation";

/** The id of a field's control, which the list of errors links to. */
function controlId(name: FieldName): string {
  return `checkout-${name}`;
}

interface FrameProps {
  form: Form;
  name: FieldName;
  label: string;
  hint?: string | undefined;
  isOptional?: boolean;
  isWide?: boolean;
  children: React.ReactNode;
}

/** Label, hint and error around a control made with `described`. */
export function FieldFrame({ form, name, label, hint, isOptional, isWide, children }: FrameProps) {
  const { t } = useTranslation();
  const id = controlId(name);
  const error = form.errors[name];
  const classes = ["field", isWide && "field--wide", form.mended.has(name) && "field--valid"];
  return (
    <div className={classes.filter(Boolean).join(" ")}>
      <label className="field__label" htmlFor={id}>
        {label}
        {isOptional && <span className="field__optional"> {t("checkout.optional")}</span>}
      </label>
      {hint && (
        <p className="field__hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children}
      {error && (
        <p className="field__error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

/** What ties a control to its label, hint and error. */
export function described(form: Form, name: FieldName, hint?: string) {
  const id = controlId(name);
  const hasError = Boolean(form.errors[name]);
  const parts = [hint && `${id}-hint`, hasError && `${id}-error`].filter(Boolean);
  return {
    id,
    name,
    "aria-invalid": hasError || undefined,
    "aria-describedby": parts.join(" ") || undefined,
    onBlur: () => form.leave(name),
  };
}

/** The longest text of a field, by its name in the call. */
function limitOf(name: Exclude<TextName, "password">): number | undefined {
  const [first, second] = name.split(".");
  const limits: Record<string, number> =
    first === "billing"
      ? LIMITS.BillingRequest
      : first === "gift"
        ? LIMITS.GiftRequest
        : LIMITS.CustomerRequest;
  return limits[second ?? name];
}

interface TextFieldProps extends Omit<ComponentProps<"input">, "form" | "name"> {
  form: Form;
  name: Exclude<TextName, "password">;
  label: string;
  hint?: string;
  isOptional?: boolean;
  isWide?: boolean;
}

export function TextField({ form, name, label, hint, isOptional, isWide = false, ...input }: TextFieldProps) {
  return (
    <FieldFrame
      form={form}
      name={name}
      label={label}
      hint={hint}
      isOptional={isOptional ?? false}
      isWide={isWide}
    >
      <input
        className="input"
        type="text"
        required={!isOptional}
        maxLength={limitOf(name)}
        value={form.answers.texts[name]}
        onChange={(event) => form.setText(name, event.target.value)}
        {...described(form, name, hint)}
        {...input}
      />
    </FieldFrame>
  );
}

interface PasswordFieldProps {
  form: Form;
  autoComplete: string;
  hint?: string | undefined;
}

export function PasswordField({ form, autoComplete, hint }: PasswordFieldProps) {
  const { t } = useTranslation();
  const [isShown, setIsShown] = useState(false);
  return (
    <FieldFrame form={form} name="password" label={t("checkout.password")} hint={hint} isWide>
      <div className="input-group">
        <input
          className="input"
          type={isShown ? "text" : "password"}
          autoComplete={autoComplete}
          autoCapitalize="none"
          spellCheck="false"
          maxLength={LIMITS.AccountRequest.password}
          required
          value={form.answers.texts.password}
          onChange={(event) => form.setText("password", event.target.value)}
          {...described(form, "password", hint)}
        />
        <button
          className="input-group__button"
          type="button"
          aria-pressed={isShown}
          aria-label={t("checkout.showPassword")}
          onClick={() => setIsShown(!isShown)}
        >
          {isShown ? t("checkout.hide") : t("checkout.show")}
        </button>
      </div>
    </FieldFrame>
  );
}

interface ErrorSummaryProps {
  /** Null: the number of errors. */
  title: string | null;
  errors: Errors;
  /** Messages that belong to no field. */
  others: readonly string[];
  ref: Ref<HTMLDivElement>;
}

/** The list of what is wrong, each leading to its field. It shrinks as fields are mended, and only the new count is read then. */
export function ErrorSummary({ title, errors, others, ref }: ErrorSummaryProps) {
  const { t } = useTranslation();
  const wrong = FIELDS.filter((name) => errors[name]);
  const count = wrong.length + others.length;
  if (count === 0) return null;
  const focus = (event: MouseEvent<HTMLAnchorElement>) => {
    const control = document.getElementById(event.currentTarget.hash.slice(1));
    if (!control) return;
    event.preventDefault();
    control.scrollIntoView?.({ block: "center" });
    control.focus({ preventScroll: true });
  };
  return (
    <div className="error-summary" role="alert" aria-atomic="false" tabIndex={-1} ref={ref}>
      <h2 className="error-summary__title">{title ?? t("checkout.faults", { count })}</h2>
      <ul>
        {wrong.map((name) => (
          <li key={name}>
            <a href={`#${controlId(name)}`} onClick={focus}>
              {errors[name]}
            </a>
          </li>
        ))}
        {others.map((message) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
    </div>
  );
}
