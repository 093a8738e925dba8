/**
 * Forms that the server draws with `data-staff-form` (not `data-no-draft`): what was typed is kept in this browser until
 * it is saved, and offered again when the form is opened without it. One with `data-unsaved` shows what was sent and is
 * not saved.
 *
 * A draft knows the version of the row that it was typed over (the hidden field `seen` or `version`), and gives it back
 * with the words: what somebody else saved meanwhile is told before, and the server still finds the conflict.
 */
import { formatMoment } from "./dates";
import { draftNames, forgetDraft, readDraft, same, writeDraft } from "./drafts";
import { translate } from "./translate";
import words from "./words.json";

const t = translate(words);
const KEEP_AFTER_MS = 400;
const VERSIONS = ["seen", "version"];
const KEY = "creation_key";
const UNSAVED = "form[data-unsaved]";
/** What is never kept: it is the browser's or the server's alone. */
const LEFT_OUT = ["hidden", "file", "password", "submit", "button"];

type Values = [name: string, value: string][];

interface Draft {
  at: string;
  typed: Values;
  version: Values;
  /** A new row's, under which it may have been sent. */
  key?: Values;
  /** What the form showed before anything was typed. */
  shown: Values;
  /** It was sent; whether it was saved is known on the next page. */
  isSent?: boolean;
}

export function keepDrafts(): void {
  const forms = document.querySelectorAll<HTMLFormElement>("form[data-staff-form]:not([data-no-draft])");
  const isSaved = document.querySelector("main > .alert--success") && !document.querySelector(UNSAVED);
  if (isSaved) forgetSent();
  forms.forEach(keepDraft);
}

function keepDraft(form: HTMLFormElement, index: number): void {
  const name = `form:${location.pathname}:${index}`;
  const shown = valuesOf(form);
  const draft = readDraft<Draft>(name);
  // A refused form shows again what was typed.
  const isRefused = form.matches(UNSAVED);
  // It was not saved: what is saved next is something else.
  if (draft?.isSent) writeDraft<Draft>(name, { ...draft, isSent: false });
  if (draft && !isRefused) {
    if (same(draft.typed, shown)) {
      // The browser itself put the words back.
      putHidden(form, draft.key);
      forgetDraft(name);
    } else offer(form, name, draft, shown);
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const keep = (isSent = false) => {
    clearTimeout(timer);
    const typed = valuesOf(form);
    if (same(typed, shown) && !isRefused) forgetDraft(name);
    else
      writeDraft<Draft>(name, {
        at: new Date().toISOString(),
        typed,
        shown: isRefused && draft ? draft.shown : shown,
        version: hiddenOf(form, VERSIONS),
        key: hiddenOf(form, [KEY]),
        isSent,
      });
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(keep, KEEP_AFTER_MS);
  });
  form.addEventListener("submit", () => keep(true));
  // More than was sent, perhaps.
  if (isRefused) keep();
}

/** Asks before anything is put back. */
function offer(form: HTMLFormElement, name: string, draft: Draft, shown: Values): void {
  const isNewer = !(same(draft.version, hiddenOf(form, VERSIONS)) && same(draft.shown, shown));
  const box = document.createElement("div");
  box.className = `alert alert--${isNewer ? "warning" : "info"}`;
  box.setAttribute("role", "status");
  const text = document.createElement("p");
  text.textContent = [t("draft.found", { when: formatMoment(draft.at) }), isNewer && t("draft.newer")]
    .filter(Boolean)
    .join(" ");
  const buttons = document.createElement("p");
  buttons.className = "cluster";
  buttons.append(
    button(t("draft.restore"), () => {
      putBack(form, draft);
      box.remove();
    }),
    button(t("draft.forget"), () => {
      forgetDraft(name);
      box.remove();
    }),
  );
  const body = document.createElement("div");
  body.append(text, buttons);
  box.append(body);
  form.before(box);
}

function putBack(form: HTMLFormElement, draft: Draft): void {
  const left = new Map<string, string[]>();
  for (const [name, value] of draft.typed) left.set(name, [...(left.get(name) ?? []), value]);
  for (const field of fieldsOf(form)) {
    const values = left.get(field.name) ?? [];
    if (field instanceof HTMLInputElement && ["checkbox", "radio"].includes(field.type))
      field.checked = values.includes(field.value);
    else if (field instanceof HTMLSelectElement && field.multiple)
      for (const option of field.options) option.selected = values.includes(option.value);
    else if (values.length) field.value = values.shift() as string;
  }
  putHidden(form, draft.version);
  putHidden(form, draft.key);
  for (const part of form.querySelectorAll("details")) part.open = true;
  // Leaving asks again.
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Forgets what was sent from the page before, on the one that says it is saved; another page's answer may be lost. */
function forgetSent(): void {
  if (!document.referrer) return;
  const { pathname } = new URL(document.referrer);
  for (const name of draftNames(`form:${pathname}:`)) if (readDraft<Draft>(name)?.isSent) forgetDraft(name);
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const fieldsOf = (form: HTMLFormElement) =>
  ([...form.elements] as Field[]).filter(({ name, type }) => name && !LEFT_OUT.includes(type));

function valuesOf(form: HTMLFormElement): Values {
  return fieldsOf(form).flatMap((field): Values => {
    if (field instanceof HTMLInputElement && ["checkbox", "radio"].includes(field.type))
      return field.checked ? [[field.name, field.value]] : [];
    if (field instanceof HTMLSelectElement && field.multiple)
      return [...field.selectedOptions].map((option) => [field.name, option.value]);
    return [[field.name, field.value]];
  });
}

const hiddenField = (form: HTMLFormElement, name: string) =>
  form.querySelector<HTMLInputElement>(`input[type=hidden][name="${name}"]`);

function hiddenOf(form: HTMLFormElement, names: string[]): Values {
  return names.flatMap((name): Values => {
    const field = hiddenField(form, name);
    return field ? [[name, field.value]] : [];
  });
}

function putHidden(form: HTMLFormElement, values: Values = []): void {
  for (const [name, value] of values) {
    const field = hiddenField(form, name);
    if (field) field.value = value;
  }
}

function button(label: string, act: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "button button--small";
  made.textContent = label;
  made.addEventListener("click", act);
  return made;
}
