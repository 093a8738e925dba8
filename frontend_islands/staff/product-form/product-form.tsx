import { useEffect, useRef, useState } from "react";
import { FormProvider, useWatch } from "react-hook-form";
import type { AdminProduct, StaffProductFormProps } from "@/api/types";
import { ConflictDialog } from "../shared/conflict-dialog";
import { formatShortDay } from "../shared/dates";
import { Confirm } from "../shared/dialog";
import { useKeptFocus } from "../shared/kept-focus";
import { translate } from "../shared/translate";
import { ActionsSection } from "./actions-section";
import { conflictFields } from "./conflicts";
import { Flag, Line, Section } from "./fields";
import { PriceHistory } from "./price-history";
import { PromotionSection } from "./promotion-section";
import { SimilarSection } from "./similar-section";
import { TextsSection } from "./texts-section";
import { useProductForm } from "./use-product-form";
import words from "./words.json";

const t = translate(words);

interface FormProps extends StaffProductFormProps {
  product: AdminProduct | undefined;
  /** Called once a change is stored. */
  onSaved?: (() => void) | undefined;
}

/** Every field of a product, in the order in which a new piece is written down. */
export function ProductForm({
  product,
  categories,
  countries,
  safety_classes,
  promotion_types,
  rights,
  trash_days,
  onSaved,
}: FormProps) {
  const state = useProductForm(product, onSaved);
  const { form, base, save } = state;
  const drawn = useRef<HTMLFormElement>(null);
  const [asks, setAsks] = useState(false);
  const keptFocus = useKeptFocus(drawn);
  const { submitCount } = form.formState;
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each attempt to save, and then alone.
  useEffect(() => {
    const wrong = [...(drawn.current?.querySelectorAll<HTMLElement>('[aria-invalid="true"]') ?? [])];
    for (const field of wrong) field.closest("details")?.setAttribute("open", "");
    wrong[0]?.focus();
  }, [submitCount]);
  const category = useWatch({ control: form.control, name: "category" });
  const isFinished = categories.some(({ id, offers_finishes }) => offers_finishes && String(id) === category);
  const isOut = Boolean(base?.trashed_at);
  // Each format and finish has a number of its own, which goes before the product's.
  const isCounted = base?.variants.length && base.variants.every((each) => each.stock_quantity !== null);
  const isFixed = !rights.edit || isOut;
  const hasFixedPrices = !rights.prices || isOut;
  const hasFixedStock = !rights.stock || isOut;
  const actions = base && (rights.edit || rights.remove) && (
    <ActionsSection
      product={base}
      rights={rights}
      trashDays={trash_days}
      hasChanges={state.hasChanges}
      onChanged={state.accept}
    />
  );
  return (
    <FormProvider {...form}>
      {base?.trashed_at && (
        <Notice
          title={t("state.trashed")}
          text={t("state.trashedText", {
            day: formatShortDay(base.trashed_at, trash_days),
          })}
        />
      )}
      {base?.archived_at && !isOut && <Notice title={t("state.archived")} text={t("state.archivedText")} />}
      {!rights.edit && !isOut && <Notice title={t("state.readOnly")} />}
      {state.hasDraft && (
        <div className="alert alert--info" role="status">
          <p className="alert__title">{t("draft.found")}</p>
          <p>{t("draft.text")}</p>
          <button className="button button--small" type="button" onClick={state.discard}>
            {t("draft.drop")}
          </button>
        </div>
      )}
      <form
        ref={drawn}
        className="product-form"
        noValidate
        onSubmit={(event) => void save(event)}
        {...keptFocus}
      >
        {/* Beside what is said of the trash: nothing else can be done there. */}
        {isOut && actions}
        <Section title={t("sections.main")} isOpen>
          <Line name="name" isRequired isDisabled={isFixed} />
          <Line
            name="category"
            isRequired
            isDisabled={isFixed}
            options={categories.map(({ id, name }) => ({ value: String(id), text: name }))}
          />
          <Line name="description" hint={t("hints.description")} isLong isDisabled={isFixed} />
          <Line name="full_description" isLong isDisabled={isFixed} />
          <div className="product-form__grid">
            <Flag name="is_published" isDisabled={isFixed || Boolean(base?.archived_at)} />
            <Flag name="featured" isDisabled={isFixed} />
          </div>
        </Section>
        <Section title={t("sections.prices")} isOpen>
          <div className="product-form__grid">
            <Line name="price" isRequired inputMode="decimal" isDisabled={hasFixedPrices} />
            <Line
              name="original_price"
              hint={t("hints.original_price")}
              inputMode="decimal"
              isDisabled={hasFixedPrices}
            />
          </div>
          {isFinished && (
            <>
              <p className="muted">{t("hints.finishes")}</p>
              <div className="product-form__grid">
                <Line name="painted_price" inputMode="decimal" isDisabled={hasFixedPrices} />
                <Line name="unpainted_price" inputMode="decimal" isDisabled={hasFixedPrices} />
              </div>
            </>
          )}
          {base && rights.history && <PriceHistory id={base.id} version={base.updated_at} />}
        </Section>
        <PromotionSection types={promotion_types} product={base} isDisabled={hasFixedPrices} />
        <Section title={t("sections.stock")} isOpen>
          <div className="product-form__grid">
            <Flag name="in_stock" isDisabled={hasFixedStock} />
            <Line
              name="stock_quantity"
              hint={t(isCounted ? "hints.counted" : "hints.stock_quantity")}
              inputMode="numeric"
              isDisabled={hasFixedStock}
            />
          </div>
        </Section>
        <Section title={t("sections.details")}>
          <div className="product-form__grid">
            <Line name="dimensions" hint={t("hints.dimensions")} isDisabled={isFixed} />
            <Line name="height_cm" inputMode="decimal" isDisabled={isFixed} />
            <Line name="weight" isDisabled={isFixed} />
            <Line name="material" isDisabled={isFixed} />
            <Line name="paint_type" isDisabled={isFixed} />
          </div>
          <div className="product-form__grid">
            <Line
              name="production_days_min"
              hint={t("hints.production")}
              inputMode="numeric"
              isDisabled={isFixed}
            />
            <Line name="production_days_max" inputMode="numeric" isDisabled={isFixed} />
          </div>
        </Section>
        <TextsSection
          stale={base?.stale_texts ?? []}
          confirmed={state.confirmed}
          onConfirm={state.confirm}
          isDisabled={isFixed}
        />
        <Section title={t("sections.safety")}>
          <p className="muted">{t("hints.safety")}</p>
          <div className="product-form__grid">
            <Line
              name="safety_class"
              isDisabled={isFixed}
              options={safety_classes.map(({ code, label }) => ({ value: code, text: label }))}
            />
            <Line name="minimum_age" inputMode="numeric" isDisabled={isFixed} />
          </div>
          <Line name="warnings" isLong isDisabled={isFixed} />
          <Line name="maker" hint={t("hints.maker")} isLong isDisabled={isFixed} />
        </Section>
        <Section title={t("sections.customs")}>
          <div className="product-form__grid">
            <Line name="hs_code" hint={t("hints.hs_code")} isDisabled={isFixed} />
            <Line
              name="origin_country"
              isDisabled={isFixed}
              options={countries.map(({ code, name }) => ({ value: code, text: name }))}
            />
            <Line name="weight_grams" inputMode="numeric" isDisabled={isFixed} />
          </div>
        </Section>
        <Section title={t("sections.more")}>
          <div className="product-form__grid">
            <Line name="external_id" hint={t("hints.external_id")} isDisabled={isFixed} />
            <Line name="slug" hint={t("hints.slug")} isDisabled={isFixed} />
          </div>
          <SimilarSection ownId={base?.id} isDisabled={isFixed} />
          {base && (
            <p className="muted">
              {t("source", { source: base.source || "–", day: formatShortDay(base.created_at) })}
            </p>
          )}
        </Section>
        {!isOut && actions}
        {asks && (
          <Confirm
            title={t("discardTitle")}
            text={t("discardText")}
            action={t("discardTyped")}
            isDangerous
            onClose={() => setAsks(false)}
            onConfirm={() => {
              setAsks(false);
              state.discard();
            }}
          />
        )}
        {!isOut && (rights.edit || rights.stock) && (
          <div className="product-form__save">
            <p className="muted" role={state.hasChanges ? "status" : undefined}>
              {state.hasChanges ? t("unsaved") : base && t("upToDate")}
            </p>
            {state.hasChanges && (
              <button
                className="button button--small button--quiet"
                type="button"
                onClick={() => (state.isTyped() ? setAsks(true) : state.discard())}
              >
                {t("discard")}
              </button>
            )}
            <button
              className="button button--primary"
              type="submit"
              aria-busy={state.isSubmitting}
              disabled={state.isSubmitting}
            >
              {state.isSubmitting ? t("saving") : base ? t("save") : t("create")}
            </button>
          </div>
        )}
      </form>
      {state.conflict && (
        <ConflictDialog
          title={t("conflictTitle")}
          fields={conflictFields(state.conflict, form.getValues(), categories)}
          onDecide={state.decide}
        />
      )}
    </FormProvider>
  );
}

function Notice({ title, text }: { title: string; text?: string }) {
  return (
    <div className="alert alert--warning">
      <p className="alert__title">{title}</p>
      {text && <p>{text}</p>}
    </div>
  );
}
