/** The question: a band at the bottom of the page, which asks for no focus, and the dialog with a switch a category. */
import type { Allowed, Category } from "./choice";

/** What the page's own script does for them. */
export interface Answers {
  /** What is allowed now; undefined before an answer that counts. */
  current: () => Allowed | undefined;
  give: (test: (name: Category) => boolean) => void;
}

interface Parts {
  banner: HTMLElement;
  dialog: HTMLDialogElement;
  saved: string;
}

let parts: Parts | undefined;

/** Shows the band. The page gets room below its end, so that nothing stays behind it. */
export function showBanner(page: HTMLTemplateElement, answers: Answers): void {
  const { banner } = draw(page, answers);
  if (!banner.hidden) return;
  banner.hidden = false;
  const root = document.documentElement;
  const keepRoom = () => root.style.setProperty("--consent-room", `${banner.offsetHeight}px`);
  // At once as well: what stands above it would be painted below it first.
  keepRoom();
  new ResizeObserver(keepRoom).observe(banner);
}

/** Takes the band away once the question was answered elsewhere. */
export function hideBanner(): void {
  if (!parts) return;
  parts.banner.hidden = true;
  document.documentElement.style.removeProperty("--consent-room");
}

export function openDialog(page: HTMLTemplateElement, answers: Answers): void {
  const { dialog } = draw(page, answers);
  if (dialog.open) return;
  const current = answers.current();
  for (const box of switches(dialog)) box.checked = current?.[box.name as Category] ?? false;
  dialog.showModal();
}

/** Puts band and dialog into the page, once. */
function draw(page: HTMLTemplateElement, answers: Answers): Parts {
  if (parts) return parts;
  const content = document.importNode(page.content, true);
  const banner = content.querySelector<HTMLElement>(".consent");
  const dialog = content.querySelector("dialog");
  if (!banner || !dialog) throw new Error("the page lacks the parts of the consent banner");
  parts = { banner, dialog, saved: content.querySelector("[data-saved]")?.textContent ?? "" };
  page.after(banner, dialog);

  const answer = (test: (name: Category) => boolean) => {
    answers.give(test);
    close(banner, dialog);
  };
  const actions: Record<string, () => void> = {
    accept: () => answer(() => true),
    refuse: () => answer(() => false),
    customise: () => openDialog(page, answers),
    cancel: () => dialog.close(),
  };
  for (const button of [banner, dialog].flatMap((part) => [...part.querySelectorAll("button")])) {
    const act = actions[button.dataset.choice ?? ""];
    if (act) button.addEventListener("click", act);
  }
  banner.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") actions.refuse?.();
  });
  dialog.querySelector("form")?.addEventListener("submit", () => {
    const chosen = new Set(switches(dialog).flatMap(({ checked, name }) => (checked ? [name] : [])));
    answer((name) => chosen.has(name));
  });
  return parts;
}

function switches(dialog: HTMLDialogElement): HTMLInputElement[] {
  return [...dialog.querySelectorAll<HTMLInputElement>("input:enabled")];
}

/** Takes the question away; whoever had the focus in it goes on at the page's content. */
function close(banner: HTMLElement, dialog: HTMLDialogElement): void {
  const hadFocus = banner.contains(document.activeElement) || dialog.contains(document.activeElement);
  const isAsked = !banner.hidden;
  dialog.close();
  hideBanner();
  if (hadFocus && isAsked) document.querySelector("main")?.focus({ preventScroll: true });
  const live = document.getElementById("live");
  if (live) live.textContent = parts?.saved ?? "";
}
