import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { AdminArticle, StaffArticleProps } from "@/api/types";
import { ApiProblem } from "@/lib/api";
import { goTo } from "@/lib/navigate";
import { toast } from "@/lib/toast";
import type { Language } from "@/runtime/language";
import { useCreation } from "../shared/creation";
import {
  forgetDraft,
  readDraft,
  useDraftName,
  useLeaveWarning,
  useOtherTabs,
  writeDraft,
} from "../shared/drafts";
import { showHead } from "../shared/page-head";
import { isSignedOut, toastProblem } from "../shared/problem";
import { translate } from "../shared/translate";
import { leftList } from "../shared/way-back";
import { changeArticle, forgetTyped, keepTyped, POSTS } from "./calls";
import {
  COLUMNS,
  differing,
  emptyValues,
  faultOf,
  isKept,
  NAMES,
  type Name,
  partsOf,
  pick,
  toCall,
  type Values,
  valuesOf,
} from "./values";
import words from "./words.json";

const t = translate(words);
const DRAFT_PAUSE_MS = 400;
const AUTOSAVE_PAUSE_MS = 2000;
/** Two clocks differ, and the server may have what this browser kept a moment before. */
const CLOCKS_MS = 5 * 60 * 1000;

interface Draft {
  values: Partial<Values>;
  /** The version it began with; empty for a new article. */
  base: string;
  at: number;
  /** A new article's, under which it may have been sent. */
  key?: string;
}

/** What two people changed to different ends: the fresh article, and the values to decide. */
export interface Conflict {
  current: AdminArticle;
  names: Name[];
}

/** Where what was typed is: saved with the article, kept on the server, in this browser, on its way, or in no place. */
type Kept = "saved" | "server" | "browser" | "typing" | "elsewhere";

/**
 * The editor's state: what is stored (`base`), what was typed since, and the way to the server. What is typed into an
 * article is kept on the server, for whoever typed it; into a new one, or without a network, in the browser. A conflict
 * keeps what was typed until it is decided.
 */
export function useArticle(
  props: StaffArticleProps,
  article: AdminArticle | undefined,
  onSaved?: () => void,
) {
  const [draftName, renewDraft] = useDraftName("article", article?.id);
  const [base, setBase] = useState(article);
  const stored = useMemo(() => (base ? valuesOf(base) : emptyValues(props)), [base, props]);
  const [found] = useState(() => foundOf(readDraft<Draft>(draftName), article));
  const creation = useCreation(found?.key);
  const [values, setValues] = useState<Values>(() => ({ ...stored, ...found?.values }));
  const [conflict, setConflict] = useState<Conflict | undefined>(() => {
    if (!article || !found || found.base === article.updated_at) return undefined;
    const names = differing({ ...stored, ...found.values }, stored);
    return names.length ? { current: article, names } : undefined;
  });
  const [confirmed, setConfirmed] = useState<string[]>([]);
  const [hasDraft, setHasDraft] = useState(found !== undefined);
  const [errors, setErrors] = useState<Partial<Record<Name, string>>>({});
  const [refusals, setRefusals] = useState(0);
  const [language, setLanguage] = useState<Language>("fr");
  const [isSaving, setSaving] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const [kept, setKept] = useState<Kept>(found ? "server" : "saved");
  const latest = useRef(values);
  latest.current = values;
  const sending = useRef<Promise<void>>(Promise.resolve());
  /** What an earlier call answers says nothing any more. */
  const turn = useRef(0);

  const changed = differing(values, stored);
  const hasChanges = changed.length > 0 || confirmed.length > 0;
  const isOut = Boolean(base?.trashed_at);
  useLeaveWarning(hasChanges && kept !== "server" && !isLeaving);
  // Of what several tabs type into an article, the server keeps the last alone.
  useOtherTabs(draftName, () => setKept((now) => (now === "server" ? "elsewhere" : now)));

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for what is typed, not for what it makes of the rest.
  useEffect(() => {
    if (isSaving || isLeaving || conflict) return undefined;
    if (changed.length === 0) {
      if (kept !== "saved") {
        forgetKept();
        setKept("saved");
      }
      return undefined;
    }
    setKept("typing");
    const near = setTimeout(() => {
      const draft = { values: pick(values, changed), base: base?.updated_at ?? "", at: Date.now() };
      writeDraft<Draft>(draftName, base ? draft : { ...draft, key: creation.key });
      if (!base) setKept("browser");
    }, DRAFT_PAUSE_MS);
    const far = base && !isOut ? setTimeout(() => void autosave(base), AUTOSAVE_PAUSE_MS) : undefined;
    return () => {
      clearTimeout(near);
      clearTimeout(far);
    };
  }, [values, base, isSaving, conflict, draftName]);

  /** One at a time: of two on their way the earlier might arrive last, and be what is kept. */
  async function autosave(from: AdminArticle) {
    turn.current += 1;
    const mine = turn.current;
    await sending.current;
    if (mine !== turn.current) return;
    const typed = latest.current;
    const names = differing(typed, stored).filter(isKept);
    const call = keepTyped(from.id, { ...toCall(typed, names), base_updated_at: from.updated_at });
    sending.current = call.catch(() => {});
    try {
      await call;
      if (mine !== turn.current || latest.current !== typed) return;
      if (names.length === differing(typed, stored).length) {
        forgetDraft(draftName);
        setKept("server");
      } else setKept("browser");
    } catch (error) {
      if (mine !== turn.current) return;
      setKept("browser");
      if (error instanceof ApiProblem && error.code === "conflict") meet(error, typed);
    }
  }

  function meet(error: ApiProblem, typed: Values) {
    const current = error.body.current as AdminArticle;
    const fresh = valuesOf(current);
    const theirs = new Set(differing(fresh, stored));
    const still = new Set(differing(typed, fresh));
    const names = differing(typed, stored).filter((name) => theirs.has(name) && still.has(name));
    setConflict({ current, names });
  }

  const change = useCallback(<Key extends Name>(name: Key, value: Values[Key]) => {
    setValues((all) => ({ ...all, [name]: value }));
    setErrors(({ [name]: _gone, ...rest }) => rest);
  }, []);

  /** Makes a fresh article the base; what was typed since `sent` stays. */
  const accept = (fresh: AdminArticle, sent = stored) => {
    turn.current += 1;
    forgetDraft(draftName);
    setHasDraft(false);
    setConfirmed([]);
    setErrors({});
    setBase(fresh);
    showHead(fresh.title ?? "", fresh.url ?? "");
    setKept("saved");
    const typed = latest.current;
    setValues({ ...valuesOf(fresh), ...pick(typed, differing(typed, sent)) });
  };

  /** Marks what can't be saved, in a language that has some of it: one is shown at a time. */
  const mark = (found: Partial<Record<Name, string>>) => {
    const wrong = COLUMNS.filter((column) => found[column]).map((column) => partsOf(column)[1]);
    setErrors(found);
    setLanguage((shown) => (wrong.includes(shown) ? shown : (wrong[0] ?? shown)));
    setRefusals((count) => count + 1);
  };

  const save = async () => {
    const faults = NAMES.flatMap((name) => {
      const fault = faultOf(values, name);
      return fault ? [[name, t(fault.key, fault.max === undefined ? {} : { max: fault.max })] as const] : [];
    });
    if (faults.length) {
      mark(Object.fromEntries(faults));
      toast({ kind: "error", title: t("errors.some") });
      return;
    }
    turn.current += 1;
    setSaving(true);
    try {
      if (!base) {
        const made = await creation.post<AdminArticle>(POSTS, toCall(values, NAMES));
        forgetDraft(draftName);
        // What was typed meanwhile is offered where it goes on.
        const typed = latest.current;
        const since = differing(typed, values);
        if (since.length > 0)
          writeDraft<Draft>(`article-${made.id}`, {
            values: pick(typed, since),
            base: made.updated_at,
            at: Date.now(),
          });
        toast({ kind: "success", title: t("created"), text: t("createdText") });
        // Before the page is left, or it would ask.
        flushSync(() => setLeaving(true));
        goTo(leftList(props.list_url, { cree: String(made.id) }));
        return;
      }
      const fresh = await changeArticle(base.id, {
        ...toCall(values, changed),
        ...(confirmed.length > 0 && { confirmed_texts: confirmed }),
        expected_updated_at: base.updated_at,
      });
      accept(fresh, values);
      toast({ kind: "success", title: t("saved") });
      onSaved?.();
    } catch (error) {
      refuse(error);
    } finally {
      setSaving(false);
    }
  };

  function refuse(error: unknown) {
    if (error instanceof ApiProblem && error.code === "conflict" && error.body.current) {
      meet(error, values);
      return;
    }
    const createFailed = isSignedOut(error) ? "createSignedOut" : "createFailed";
    toastProblem(t(base ? "saveFailed" : createFailed), error);
    if (!(error instanceof ApiProblem)) return;
    mark(
      Object.fromEntries(
        Object.entries(error.errors).map(([name, texts]) => [
          NAMES.find((each) => each === name) ?? "title",
          texts.join(" "),
        ]),
      ),
    );
  }

  /** Goes on from the fresh article with what was typed; of `theirs` with what they typed. */
  const decide = (theirs: ReadonlySet<Name>) => {
    if (!conflict) return;
    const mine = differing(latest.current, stored).filter((name) => !theirs.has(name));
    setBase(conflict.current);
    setValues({ ...valuesOf(conflict.current), ...pick(latest.current, mine) });
    setConflict(undefined);
  };

  /** Nothing is typed any more: neither here nor on the server is anything offered again. */
  const forgetKept = () => {
    turn.current += 1;
    forgetDraft(draftName);
    if (base) sending.current = sending.current.then(() => forgetTyped(base.id)).catch(() => {});
  };

  const discard = () => {
    creation.renew();
    forgetKept();
    renewDraft();
    setHasDraft(false);
    setConfirmed([]);
    setErrors({});
    setKept("saved");
    setValues(stored);
  };

  return {
    values,
    base,
    change,
    errors,
    refusals,
    language,
    setLanguage,
    save,
    accept,
    discard,
    conflict,
    decide,
    confirmed,
    confirm: (column: string) => setConfirmed((all) => [...all, column]),
    hasDraft,
    hasChanges,
    kept,
    isSaving: isSaving || isLeaving,
    leave: (address: string) => {
      flushSync(() => setLeaving(true));
      goTo(address);
    },
  };
}

export type ArticleState = ReturnType<typeof useArticle>;

/** What another machine kept on the server since is over what this browser has. */
function foundOf(here: Draft | undefined, article: AdminArticle | undefined): Draft | undefined {
  const there = keptOf(article);
  if (!(here && there)) return here ?? there;
  return there.at - here.at > CLOCKS_MS ? { ...here, values: { ...here.values, ...there.values } } : here;
}

function keptOf(article: AdminArticle | undefined): Draft | undefined {
  const kept = article?.autosave;
  if (!kept) return undefined;
  const { products, cover, ...rest } = kept.values;
  return {
    base: kept.base_updated_at,
    values: {
      ...(rest as Partial<Values>),
      ...(products && { products: products.map(({ id, name }) => ({ id, name })) }),
      ...(cover !== undefined && { cover }),
    },
    at: Date.parse(kept.saved_at),
  };
}
