/**
 * The catalogue's search, filters and pages without reloading.
 *
 * Works on what the server rendered: a `form[data-search]`, links marked `data-refine` and the results in
 * `#resultats`. Each is a plain form or link that works by itself; here the same address is fetched with the
 * header `X-Fragment: results` and the answer's HTML, the server's own, takes the place of the results. What else
 * changes comes with them: `<template data-replace="id">` has the new content of the element with that id, and the
 * element marked `data-announce`, which is read out, the page's title in `data-title`. Whatever goes wrong, the
 * browser goes to the address instead.
 */
import { fetchFragment, showFragment } from "@/lib/fragment";
import { goTo } from "@/lib/navigate";
import type { Mount, Unmount } from "@/runtime/island";

/** While typing, how long a pause asks for results. */
const PAUSE_MS = 100;
/** So many results are cached, for going back without waiting. */
const MAX_CACHED = 20;

type Entry = "push" | "replace" | "none";

export const mount: Mount<null> = (host) => {
  const results = host.querySelector<HTMLElement>("#resultats");
  const form = host.querySelector<HTMLFormElement>("form[data-search]");
  if (!results || !form) throw new Error("The catalogue has no results or no search form.");
  return enhance(host, results, form);
};

function enhance(host: HTMLElement, results: HTMLElement, form: HTMLFormElement): Unmount {
  const ended = new AbortController();
  const cached = new Map<string, string>([[here(), results.innerHTML]]);
  let shown = here();
  let asking: AbortController | undefined;
  let pause: ReturnType<typeof setTimeout> | undefined;
  /** Whether the last entry of the history was made by typing: the next letters replace it. */
  let isTyping = false;
  /** What the page is called, within `document.title`. */
  let title = results.querySelector<HTMLElement>("[data-title]")?.dataset.title ?? "";

  async function show(address: URL, entry: Entry): Promise<boolean> {
    clearTimeout(pause);
    asking?.abort();
    const wanted = address.pathname + address.search;
    if (entry === "push" && wanted !== shown) history.pushState(null, "", address);
    else if (entry === "replace") history.replaceState(history.state, "", address);
    fill(address, entry === "none");
    if (wanted === shown) {
      results.removeAttribute("aria-busy");
      return true;
    }
    asking = new AbortController();
    const { signal } = asking;
    results.setAttribute("aria-busy", "true");
    try {
      const html = cached.get(wanted) ?? (await fetchFragment(address, "results", signal));
      cache(wanted, html);
      shown = wanted;
      showFragment(results, html);
      results.removeAttribute("aria-busy");
      reflect(address);
      announce();
      return true;
    } catch {
      if (!signal.aborted) goTo(address);
      return false;
    }
  }

  /** Gives the form what is asked for, at once: whoever types while the answer is on its way adds to it. */
  function fill(address: URL, isReturn: boolean): void {
    for (const field of form.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[name]")) {
      // Drawn by the server as it is.
      if (field.type === "checkbox") continue;
      // Not under the visitor's hands, unless they went back from what they typed.
      if (isReturn || field !== document.activeElement) {
        field.value = address.searchParams.get(field.name) ?? "";
      }
    }
  }

  function cache(address: string, html: string): void {
    cached.delete(address);
    cached.set(address, html);
    const oldest = cached.keys().next().value;
    if (cached.size > MAX_CACHED && oldest !== undefined) cached.delete(oldest);
  }

  /** Makes the page around the results say what is shown. */
  function reflect(address: URL): void {
    // A filter under the visitor's hands is drawn anew with its count: the focus goes back to it.
    const focused = document.activeElement?.id ?? "";
    for (const part of results.querySelectorAll<HTMLTemplateElement>("template[data-replace]")) {
      document.getElementById(part.dataset.replace ?? "")?.replaceChildren(part.content.cloneNode(true));
    }
    if (focused && document.activeElement?.id !== focused) {
      document.getElementById(focused)?.focus({ preventScroll: true });
    }
    for (const link of host.querySelectorAll<HTMLAnchorElement>("a[data-refine]")) {
      const target = new URL(link.href);
      const category = target.searchParams.get("category");
      if (results.contains(link) || category === null) continue;
      if (category === address.searchParams.get("category")) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
      // A category keeps the search, the order and the filters.
      const others = [...address.searchParams].filter(([name]) => name !== "category" && name !== "page");
      target.search = String(new URLSearchParams([["category", category], ...others]));
      link.href = target.pathname + target.search;
    }
  }

  function announce(): void {
    const summary = results.querySelector<HTMLElement>("[data-announce]");
    const live = document.getElementById("live");
    if (live) live.textContent = summary?.textContent?.replace(/\s+/g, " ").trim() ?? "";
    const heading = summary?.dataset.title;
    if (!heading || !title) return;
    // The rest of the title is the shop's name.
    document.title = document.title.replace(title, () => heading);
    title = heading;
  }

  function addressOfForm(): URL {
    const address = new URL(form.action, location.href);
    // The form's own fields over what else the address asks for; another search starts at its first page.
    address.search = location.search;
    address.searchParams.delete("page");
    const given = new Map<string, string[]>();
    for (const { name } of form.querySelectorAll<HTMLInputElement>("[name]")) given.set(name, []);
    for (const [name, value] of new FormData(form)) {
      const text = String(value).trim();
      if (text) given.get(name)?.push(text);
    }
    for (const [name, [first, ...others]] of given) {
      if (first) address.searchParams.set(name, first);
      else address.searchParams.delete(name);
      for (const value of others) address.searchParams.append(name, value);
    }
    return address;
  }

  function typed(): void {
    const address = addressOfForm();
    const isNew = address.search !== location.search;
    void show(address, isTyping ? "replace" : "push");
    isTyping ||= isNew;
  }

  function onInput(): void {
    clearTimeout(pause);
    // An answer that comes before the next question would draw the filters as they were.
    asking?.abort();
    pause = setTimeout(typed, PAUSE_MS);
  }

  function onSubmit(event: Event): void {
    event.preventDefault();
    typed();
    isTyping = false;
  }

  async function onClick(event: MouseEvent): Promise<void> {
    const link = (event.target as Element).closest<HTMLAnchorElement>("a[data-refine]");
    if (!link || !isPlain(event)) return;
    const address = new URL(link.href);
    if (address.origin !== location.origin || address.pathname !== location.pathname) return;
    event.preventDefault();
    isTyping = false;
    const wasInside = results.contains(link);
    if (!(await show(address, "push"))) return;
    // What had the focus is gone: the results take it, and the next Tab is in them.
    if (wasInside) results.focus({ preventScroll: true });
    results.scrollIntoView();
  }

  function onPopState(): void {
    isTyping = false;
    void show(new URL(location.href), "none");
  }

  const { signal } = ended;
  form.addEventListener("input", onInput, { signal });
  form.addEventListener("submit", onSubmit, { signal });
  host.addEventListener("click", onClick, { signal });
  window.addEventListener("popstate", onPopState, { signal });
  results.tabIndex = -1;

  return () => {
    ended.abort();
    asking?.abort();
    clearTimeout(pause);
  };
}

function isPlain(event: MouseEvent): boolean {
  return event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
}

function here(): string {
  return location.pathname + location.search;
}
