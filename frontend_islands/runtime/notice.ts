/**
 * Notices whose words the page holds, because it is the same for everybody: one
 * `<template data-notice="<code>" data-kind data-title data-link data-action>text</template>` for each code in its toast
 * region.
 */
import { toast } from "@/lib/toast";

/**
 * Shows the notice of a code. `detail` takes the place of the page's text, or of the `{}` in it; `run` is what its action
 * does. Nothing where the page has none.
 */
export function showNotice(code: string, detail = "", run?: () => void): void {
  const template = document.querySelector<HTMLTemplateElement>(`#toasts > [data-notice="${code}"]`);
  if (!template) return;
  const { kind, title = "", link, action } = template.dataset;
  const words = template.content.textContent?.trim() ?? "";
  const text = words.includes("{}") ? words.replace("{}", () => detail) : detail || words;
  toast({
    kind: kind === "error" || kind === "info" ? kind : "success",
    title,
    ...(link ? { link: { href: link, label: text } } : { text }),
    ...(action && run && { action: { label: action, run } }),
  });
}

/** Shows the notice that the server's cookie `notice=<code>` asks for after a redirect, once. */
export function showPendingNotice(): void {
  const code = /(?:^|;\s*)notice=([\w-]+)/.exec(document.cookie)?.[1];
  if (!code) return;
  // biome-ignore lint/suspicious/noDocumentCookie: Firefox and Safari have the Cookie Store only since this year
  document.cookie = "notice=; Max-Age=0; Path=/; SameSite=Lax";
  showNotice(code);
}

// The runtime, where each byte counts, knows it by the shortest name.
export { showPendingNotice as default };
