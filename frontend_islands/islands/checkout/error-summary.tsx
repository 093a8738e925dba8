import type { MouseEvent, Ref } from "react";
import { useTranslation } from "@/runtime/react";
import { controlId } from "./fields";
import type { Errors } from "./use-form";
import { FIELDS } from "./validation";

interface ErrorSummaryProps {
  /** Null: the number of errors. */
  title: string | null;
  errors: Errors;
  /** Messages that belong to no field. */
  others: readonly string[];
  ref: Ref<HTMLDivElement>;
}

/** The list of what is wrong, each leading to its field. It shrinks as fields are mended. */
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
    <div className="error-summary" role="alert" tabIndex={-1} ref={ref}>
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
