import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { type FieldPath, useForm } from "react-hook-form";
import type { AdminProduct } from "@/api/types";
import { ApiProblem } from "@/lib/api";
import { emit, listen } from "@/lib/events";
import { goTo } from "@/lib/navigate";
import { toast } from "@/lib/toast";
import { useCreation } from "../shared/creation";
import { forgetDraft, readDraft, useDraftName, useLeaveWarning, writeDraft } from "../shared/drafts";
import { showHead } from "../shared/page-head";
import { toastProblem } from "../shared/problem";
import { translate } from "../shared/translate";
import { changeProduct, fetchProduct, PRODUCTS } from "./calls";
import { differing, EMPTY, NAMES, type Name, toCall, type Values, valuesOf } from "./values";
import words from "./words.json";

const t = translate(words);
const PAUSE_MS = 400;

interface Draft {
  values: Partial<Values>;
  /** What the same fields held when they were typed over. */
  seen: Partial<Values>;
  /** A new product's, under which it may have been sent. */
  key?: string;
}

/** What two people changed to different ends: the fresh product, and the fields to decide. */
export interface Conflict {
  current: AdminProduct;
  names: Name[];
}

/**
 * The form's state: what is stored (`base`), what was typed since, a draft of it in the browser, and the way to the
 * server. A conflict keeps what was typed until it is decided.
 */
export function useProductForm(product: AdminProduct | undefined, onSaved?: () => void) {
  const [draftName, renewDraft] = useDraftName("product", product?.id);
  const creation = useCreation(readDraft<Draft>(draftName)?.key);
  const [base, setBase] = useState(product);
  const [conflict, setConflict] = useState<Conflict>();
  const [confirmed, setConfirmed] = useState<string[]>([]);
  const [hasDraft, setHasDraft] = useState(false);
  // The same object between two saves: the pause before a draft is kept begins anew with another one.
  const stored = useMemo(() => (base ? valuesOf(base) : EMPTY), [base]);
  const form = useForm<Values>({ defaultValues: stored, mode: "onBlur", shouldFocusError: false });
  const { isDirty, isSubmitting } = form.formState;
  const [isLeaving, setIsLeaving] = useState(false);
  const hasChanges = isDirty || confirmed.length > 0;
  useLeaveWarning(hasChanges && !isLeaving);

  /** The fields that this tab has kept: those of another tab's draft stay in it. */
  const own = useRef(new Set<Name>());
  const keepTyped = useCallback(
    (changed: Name[]) => {
      for (const name of changed) own.current.add(name);
      const kept = base && readDraft<Draft>(draftName);
      const others = NAMES.filter((name) => kept?.values[name] !== undefined && !own.current.has(name));
      if (changed.length + others.length === 0) {
        forgetDraft(draftName);
        return;
      }
      const draft = {
        values: { ...pick(kept?.values ?? {}, others), ...pick(form.getValues(), changed) },
        seen: { ...pick(kept?.seen ?? {}, others), ...pick(stored, changed) },
      };
      writeDraft<Draft>(draftName, base ? draft : { ...draft, key: creation.key });
    },
    [base, creation, draftName, form, stored],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: the draft is read once, when the form opens.
  useEffect(() => {
    const draft = readDraft<Draft>(draftName);
    if (!draft) return;
    for (const name of NAMES) {
      const value = draft.values[name];
      if (value === undefined) continue;
      own.current.add(name);
      form.setValue(name as FieldPath<Values>, value as never, { shouldDirty: true });
    }
    setHasDraft(true);
    const drafted = differing({ ...stored, ...draft.values }, stored);
    const theirs = new Set(differing({ ...stored, ...draft.seen }, stored));
    const names = drafted.filter((name) => theirs.has(name));
    if (base && names.length > 0) setConflict({ current: base, names });
  }, []);

  useEffect(() => {
    // Until it is decided, the draft says what was seen.
    if (conflict || isLeaving) return undefined;
    let pause: ReturnType<typeof setTimeout> | undefined;
    const keep = () => {
      clearTimeout(pause);
      pause = setTimeout(() => keepTyped(differing(form.getValues(), stored)), PAUSE_MS);
    };
    const unsubscribe = form.subscribe({ formState: { values: true }, callback: keep });
    // What was typed while the rest was saved.
    keep();
    return () => {
      clearTimeout(pause);
      unsubscribe();
    };
  }, [form, stored, keepTyped, conflict, isLeaving]);

  const id = base?.id;
  useEffect(
    () =>
      listen("product:changed", ({ productId, by }) => {
        if (productId !== id || by !== "variants") return;
        // Nothing else: what somebody else changed of the fields is told when they are saved.
        void fetchProduct(productId).then(
          ({ variants }) => setBase((now) => now && { ...now, variants }),
          () => {},
        );
      }),
    [id],
  );

  /** Makes a fresh product the base; what was typed since `sent` stays. */
  const accept = (fresh: AdminProduct, sent = stored) => {
    emit("product:changed", { productId: fresh.id, by: "form" });
    showHead(fresh.name, fresh.is_published ? fresh.url : "");
    keepTyped([]);
    setHasDraft(false);
    setConfirmed([]);
    rebase(fresh, differing(form.getValues(), sent));
  };

  const rebase = (fresh: AdminProduct, mine: Name[]) => {
    const typed = form.getValues();
    setBase(fresh);
    form.reset(valuesOf(fresh));
    for (const name of mine) {
      form.setValue(name as FieldPath<Values>, typed[name] as never, { shouldDirty: true });
    }
  };

  const save = form.handleSubmit(
    async (values) => {
      const changed = differing(values, stored);
      try {
        if (!base) {
          const made = await creation.post<AdminProduct>(
            PRODUCTS,
            toCall(
              values,
              NAMES.filter((name) => isSent(values, name)),
            ),
          );
          forgetDraft(draftName);
          // What was typed meanwhile is offered where it goes on.
          const typed = form.getValues();
          const since = differing(typed, values);
          if (since.length > 0)
            writeDraft<Draft>(`product-${made.id}`, {
              values: pick(typed, since),
              seen: pick(valuesOf(made), since),
            });
          // Before the page is left, or it would ask.
          flushSync(() => setIsLeaving(true));
          goTo(`/admin/produits/${made.id}?cree=1`);
          return;
        }
        const seen = changed.includes("stock_quantity")
          ? { seen_stock_quantity: base.stock_quantity ?? null }
          : {};
        const fresh = await changeProduct(base.id, {
          ...toCall(values, changed),
          ...seen,
          ...(confirmed.length > 0 && { confirmed_texts: confirmed }),
          expected_updated_at: base.updated_at,
        });
        accept(fresh, values);
        toast({ kind: "success", title: t("saved") });
        onSaved?.();
      } catch (error) {
        refuse(error, values, changed);
      }
    },
    (faults) => {
      const missing = Object.values(faults).some((fault) => fault?.message === t("errors.required"));
      toast({ kind: "error", title: t(missing ? "errors.missing" : "errors.some") });
    },
  );

  function refuse(error: unknown, values: Values, changed: Name[]) {
    if (error instanceof ApiProblem && error.code === "conflict" && error.body.current) {
      const current = error.body.current as AdminProduct;
      const theirs = new Set(differing(valuesOf(current), stored));
      const mine = new Set(changed.filter((name) => theirs.has(name)));
      const still = new Set(differing(values, valuesOf(current)));
      setConflict({ current, names: [...mine].filter((name) => still.has(name)) });
      return;
    }
    toastProblem(t("failed"), error);
    if (!(error instanceof ApiProblem)) return;
    for (const [name, messages] of Object.entries(error.errors)) {
      const field = (NAMES.find((each) => each === name || `${each}_fr` === name) ??
        "name") as FieldPath<Values>;
      form.setError(field, { message: messages.join(" ") });
    }
  }

  /** Goes on from the fresh product with what was typed; of `theirs` with what they typed. */
  const decide = (theirs: ReadonlySet<Name>) => {
    if (!conflict) return;
    rebase(
      conflict.current,
      differing(form.getValues(), stored).filter((name) => !theirs.has(name)),
    );
    setConflict(undefined);
  };

  const discard = () => {
    creation.renew();
    keepTyped([]);
    renewDraft();
    setHasDraft(false);
    setConfirmed([]);
    form.reset(stored);
  };

  return {
    form,
    base,
    save,
    accept,
    discard,
    conflict,
    decide,
    confirmed,
    confirm: (column: string) => setConfirmed([...confirmed, column]),
    hasDraft,
    hasChanges,
    /** Whether words or figures are among the changes, not choices alone. */
    isTyped: () => differing(form.getValues(), stored).some((name) => typeof stored[name] === "string"),
    isSubmitting: isSubmitting || isLeaving,
  };
}

/** A new product sends what says something. */
function isSent(values: Values, name: Name): boolean {
  const value = values[name];
  return typeof value === "boolean" || (Array.isArray(value) ? value.length > 0 : value.trim() !== "");
}

function pick(values: Partial<Values>, names: Name[]): Partial<Values> {
  return Object.fromEntries(names.map((name) => [name, values[name]])) as Partial<Values>;
}
