import { useEffect, useRef, useState } from "react";
import type { AdminArticle } from "@/api/types";
import { Icon } from "@/lib/icon";
import { toast } from "@/lib/toast";
import { ConflictDialog } from "../shared/conflict-dialog";
import { Confirm } from "../shared/dialog";
import { Field } from "../shared/field";
import { useKeptFocus } from "../shared/kept-focus";
import { toastProblem } from "../shared/problem";
import { ProductPicker } from "../shared/product-picker";
import { translate } from "../shared/translate";
import { leftList } from "../shared/way-back";
import type { EditorProps } from "./article-editor";
import { restoreArticle, trashArticle } from "./calls";
import { conflictFields } from "./conflicts";
import { Cover } from "./cover";
import { Publication } from "./publication";
import { Revisions } from "./revisions";
import { Tags } from "./tags";
import { Texts } from "./texts";
import { useArticle } from "./use-article";
import words from "./words.json";

const t = translate(words);
const DRAFT_PLACES = {
  saved: "kept.saved",
  server: "kept.server",
  browser: "kept.browser",
  typing: "kept.typing",
  elsewhere: "kept.elsewhere",
} as const;

interface FormProps extends EditorProps {
  article: AdminArticle | undefined;
}

/** Everything that an article is made of, in the order in which one is written. */
export function ArticleForm({ article, ...props }: FormProps) {
  const state = useArticle(props, article, props.onSaved);
  const { values, base, change, errors } = state;
  const drawn = useRef<HTMLElement>(null);
  const keptFocus = useKeptFocus(drawn);
  const [asks, setAsks] = useState<"discard" | "trash">();
  const isOut = Boolean(base?.trashed_at);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each save that was refused, and then alone.
  useEffect(() => {
    const wrong = [...(drawn.current?.querySelectorAll<HTMLElement>('[aria-invalid="true"]') ?? [])];
    for (const field of wrong) field.closest("details")?.setAttribute("open", "");
    wrong[0]?.focus();
  }, [state.refusals]);
  const trash = async () => {
    if (!base) return;
    try {
      await trashArticle(base.id);
      state.leave(leftList(props.list_url, { retire: String(base.id) }));
    } catch (error) {
      toastProblem(t("actionFailed"), error);
      setAsks(undefined);
    }
  };
  const restore = async () => {
    if (!base) return;
    try {
      state.accept(await restoreArticle(base.id));
      toast({ kind: "success", title: t("restored") });
    } catch (error) {
      toastProblem(t("actionFailed"), error);
    }
  };
  const cancel = () => {
    if (state.hasChanges) setAsks("discard");
    else if (props.onCancel) props.onCancel();
    else state.leave(leftList(props.list_url));
  };
  return (
    <>
      {isOut && (
        <div className="alert alert--warning">
          <p className="alert__title">{t("trashed")}</p>
          <p>{t("trashedText", { days: props.trash_days })}</p>
          <button className="button button--small" type="button" onClick={() => void restore()}>
            {t("restore")}
          </button>
        </div>
      )}
      {state.hasDraft && state.hasChanges && (
        <div className="alert alert--info" role="status">
          <p className="alert__title">{t("draft.found")}</p>
          <p>{t("draft.text")}</p>
          <button className="button button--small" type="button" onClick={() => setAsks("discard")}>
            {t("draft.drop")}
          </button>
        </div>
      )}
      {/* No form: Enter in a line creates nothing, and the picture's address is a form of its own. */}
      <section
        ref={drawn}
        {...keptFocus}
        className="product-form article-form"
        aria-label={t(base ? "formEdit" : "formNew")}
      >
        <Texts state={state} />
        <div className="article-form__side">
          <section className="staff-sheet" aria-labelledby="article-cover">
            <h2 className="staff-sheet__title" id="article-cover">
              {t("sections.cover")}
            </h2>
            <Cover
              picture={values.cover}
              alt={values.cover_alt}
              error={errors.cover}
              onChange={(cover) => change("cover", cover)}
              onAlt={(alt) => change("cover_alt", alt)}
            />
          </section>
          <section className="staff-sheet" aria-labelledby="article-place">
            <h2 className="staff-sheet__title" id="article-place">
              {t("sections.place")}
            </h2>
            <Field label={t("fields.category")} error={errors.category}>
              {(control) => (
                <select
                  className="select"
                  {...control}
                  value={values.category}
                  onChange={(event) => change("category", event.target.value)}
                >
                  {props.categories.map(({ value, label }) => (
                    <option key={value} value={value}>
                      {label}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <Tags
              tags={values.tags}
              most={props.most_tags}
              error={errors.tags}
              onChange={(tags) => change("tags", tags)}
            />
            <ProductPicker
              label={t("fields.products")}
              hint={t("hints.products")}
              error={errors.products}
              picked={values.products}
              onChange={(products) => change("products", products)}
            />
            <Field label={t("fields.author_name")} hint={t("hints.author_name")} error={errors.author_name}>
              {(control) => (
                <input
                  className="input"
                  autoComplete="off"
                  {...control}
                  value={values.author_name}
                  onChange={(event) => change("author_name", event.target.value)}
                />
              )}
            </Field>
          </section>
          <Publication
            values={values}
            article={base}
            error={errors.publish_at}
            hasChanges={state.hasChanges}
            onNow={(now) => change("now", now)}
            onMoment={(moment) => change("publish_at", moment)}
          />
          {base && !isOut && (
            <Revisions article={base} isDisabled={state.hasChanges} onChanged={state.accept} />
          )}
          {base && !isOut && (
            <p>
              <button className="button button--quiet" type="button" onClick={() => setAsks("trash")}>
                <Icon name="trash" /> {t("trash")}
              </button>
            </p>
          )}
        </div>
        {!isOut && (
          <div className="product-form__save">
            <p className="muted" role={state.hasChanges ? "status" : undefined}>
              {state.hasChanges ? t(DRAFT_PLACES[state.kept]) : base && t("kept.saved")}
            </p>
            <button className="button button--quiet" type="button" onClick={cancel}>
              {t("cancel")}
            </button>
            <button
              className="button button--primary"
              type="button"
              onClick={() => void state.save()}
              aria-busy={state.isSaving}
              disabled={state.isSaving}
            >
              {state.isSaving ? t(base ? "saving" : "creating") : t(base ? "save" : "create")}
            </button>
          </div>
        )}
      </section>
      {asks === "discard" && (
        <Confirm
          title={t("discardTitle")}
          text={t("discardText")}
          action={t("discard")}
          isDangerous
          onClose={() => setAsks(undefined)}
          onConfirm={() => {
            setAsks(undefined);
            state.discard();
            props.onCancel?.();
          }}
        />
      )}
      {asks === "trash" && (
        <Confirm
          title={t("trashTitle")}
          text={t("trashText", { days: props.trash_days })}
          action={t("trash")}
          isDangerous
          onClose={() => setAsks(undefined)}
          isBusy={state.isSaving}
          onConfirm={trash}
        />
      )}
      {state.conflict && (
        <ConflictDialog
          title={t("conflictTitle")}
          fields={conflictFields(state.conflict, values, props.categories)}
          onDecide={state.decide}
        />
      )}
    </>
  );
}
