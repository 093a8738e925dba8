/**
 * Notices whose words the page holds, because it is the same for everybody: one
 * `<template data-notice="<code>" data-kind data-title data-link>text</template>` for each code in its toast region.
 */
import { toast } from "@/lib/toast";

/** Shows the notice of a code; `detail` takes the place of the page's text. Nothing where the page has none. */
export function showNotice(code: string, detail = ""): void {
  const template = document.querySelector<HTMLTemplateElement>(`#toasts > [data-notice="${code}"]`);
  if (!template) return;
  const { kind, title = "", link } = template.dataset;
  const text = detail || (template.content.textContent?.trim() ?? "");
  toast({
    kind: kind === "error" || kind === "info" ? kind : "success",
    title,
    ...(link ? { link: { href: link, label: text } } : { text }),
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
