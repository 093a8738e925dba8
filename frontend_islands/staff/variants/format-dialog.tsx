import { type ReactNode, useId, useRef, useState } from "react";
import type { VariantFormat } from "@/api/types";
import { toAmount } from "../shared/amounts";
import { useCreation } from "../shared/creation";
import { Dialog } from "../shared/dialog";
import { same } from "../shared/drafts";
import { Field } from "../shared/field";
import { fieldErrors, ProblemText } from "../shared/problem";
import { translate } from "../shared/translate";
import { TRANSLATIONS } from "../shared/translations";
import { changeFormat, formatsPath } from "./calls";
import words from "./words.json";

const t = translate(words);
const NAMES = ["name", ...TRANSLATIONS.map((code) => `name_${code}` as const)] as const;
const NAME_LABELS = {
  name: "form.name",
  name_en: "form.name_en",
  name_es: "form.name_es",
  name_de: "form.name_de",
} as const;
const PRICINGS = ["same", "adjust", "fixed"] as const;
const PRICING_LABELS = { same: "form.same", adjust: "form.adjust", fixed: "form.fixed" } as const;
type Pricing = (typeof PRICINGS)[number];

interface FormatDialogProps {
  product: number;
  /** Undefined: a new one. */
  format: VariantFormat | undefined;
  canPrice: boolean;
  version: string;
  /** `isOver`: nothing was typed since. */
  onSaved: (saved: VariantFormat, isOver: boolean) => Promise<void>;
  onConflict: (error: unknown) => boolean;
  onClose: () => void;
}

/** A format: its name by language, and what it costs. */
export function FormatDialog({ product, format, canPrice, version, ...on }: FormatDialogProps) {
  const start: Pricing = format?.price_override
    ? "fixed"
    : Number(format?.price_adjustment)
      ? "adjust"
      : "same";
  const [names, setNames] = useState(
    Object.fromEntries(NAMES.map((name) => [name, format?.[name] ?? ""])) as Record<
      (typeof NAMES)[number],
      string
    >,
  );
  const [pricing, setPricing] = useState<Pricing>(start);
  const stored = {
    adjustment: start === "adjust" ? (format?.price_adjustment ?? "").replace(".", ",") : "",
    override: (format?.price_override ?? "").replace(".", ","),
  };
  const [adjustment, setAdjustment] = useState(stored.adjustment);
  const [override, setOverride] = useState(stored.override);
  const creation = useCreation();
  const [error, setError] = useState<unknown>();
  const [isSaving, setSaving] = useState(false);
  const group = useId();
  const typed = { names, pricing, adjustment, override };
  const latest = useRef(typed);
  latest.current = typed;

  const save = async () => {
    setSaving(true);
    setError(undefined);
    const prices = {
      price_adjustment: pricing === "adjust" ? toAmount(adjustment) || "0" : "0",
      price_override: pricing === "fixed" ? toAmount(override) || null : null,
    };
    // What nobody typed here may be somebody else's by now.
    const changed = NAMES.filter((name) => !format || names[name] !== format[name]);
    const isPriced =
      !format || pricing !== start || adjustment !== stored.adjustment || override !== stored.override;
    const fields = {
      ...Object.fromEntries(changed.map((name) => [name, names[name]])),
      ...(canPrice && isPriced && prices),
    };
    try {
      const saved = await (format
        ? changeFormat(product, format.id, { ...fields, version })
        : creation.post<VariantFormat>(formatsPath(product), fields));
      await on.onSaved(saved, same(latest.current, typed));
    } catch (refusal) {
      on.onConflict(refusal);
      setError(refusal);
    } finally {
      setSaving(false);
    }
  };
  const missing = names.name.trim() ? [] : [t("form.missing")];
  const amounts = { same: "0", adjust: adjustment, fixed: override };
  const noAmount = canPrice && !amounts[pricing].trim() ? [t("form.noAmount")] : [];
  const lacks = missing.length + noAmount.length > 0;
  const errorsOf = (name: string, lacking: string[]) =>
    error ? [...lacking, ...fieldErrors(error, name)] : [];
  return (
    <Dialog
      title={format ? t("form.edit", { name: format.name }) : t("form.new")}
      isBusy={isSaving}
      refusal={error}
      typed={typed}
      onClose={on.onClose}
      actions={
        <button
          className="button button--primary"
          type="button"
          aria-busy={isSaving}
          disabled={isSaving}
          onClick={() => (lacks ? setError(new Error()) : void save())}
        >
          {t("form.save")}
        </button>
      }
    >
      {Boolean(error) && !lacks && (
        <p className="alert alert--error" role="alert">
          {t("saveFailed")} : <ProblemText error={error} />
        </p>
      )}
      {NAMES.map((name) => (
        <Text
          key={name}
          label={t(NAME_LABELS[name])}
          hint={name === "name" ? t("form.nameHint") : ""}
          value={names[name]}
          errors={name === "name" ? errorsOf(name, missing) : []}
          onChange={(value) => setNames((all) => ({ ...all, [name]: value }))}
        />
      ))}
      {canPrice && (
        <fieldset className="photo-part">
          <legend>{t("form.pricing")}</legend>
          {PRICINGS.map((each) => (
            <label className="check" key={each}>
              <input type="radio" name={group} checked={pricing === each} onChange={() => setPricing(each)} />
              <span>{t(PRICING_LABELS[each])}</span>
            </label>
          ))}
          {pricing === "adjust" && (
            <Text
              label={t("form.adjustment")}
              hint={t("form.adjustmentHint")}
              inputMode="text"
              value={adjustment}
              errors={errorsOf("price_adjustment", noAmount)}
              onChange={setAdjustment}
            />
          )}
          {pricing === "fixed" && (
            <Text
              label={t("form.override")}
              inputMode="decimal"
              value={override}
              errors={errorsOf("price_override", noAmount)}
              onChange={setOverride}
            />
          )}
        </fieldset>
      )}
    </Dialog>
  );
}

interface TextProps {
  label: ReactNode;
  hint?: string;
  value: string;
  errors: string[];
  inputMode?: "text" | "decimal";
  onChange: (value: string) => void;
}

function Text({ label, hint, value, errors, inputMode, onChange }: TextProps) {
  return (
    <Field label={label} hint={hint} error={errors.join(" ")}>
      {(control) => (
        <input
          {...control}
          className="input"
          maxLength={120}
          autoComplete="off"
          inputMode={inputMode}
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Field>
  );
}
