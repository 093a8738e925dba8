/**
 * Notices that survive a redirect to a page that is the same for everybody: the server sets the cookie
 * `notice=<code>`, the page holds one `<template data-notice="<code>" data-kind data-title>text</template>` for
 * each code in its toast region.
 */
export async function showPendingNotice(): Promise<void> {
  const code = /(?:^|;\s*)notice=([\w-]+)/.exec(document.cookie)?.[1];
  if (!code) return;
  // biome-ignore lint/suspicious/noDocumentCookie: Firefox and Safari have the Cookie Store only since this year
  document.cookie = "notice=; Max-Age=0; Path=/; SameSite=Lax";
  const template = document.querySelector<HTMLTemplateElement>(`#toasts > [data-notice="${code}"]`);
  if (!template) return;
  const { toast } = await import("@/lib/toast");
  const { kind, title } = template.dataset;
  toast({
    kind: kind === "error" || kind === "info" ? kind : "success",
    title: title ?? "",
    text: template.content.textContent?.trim() ?? "",
  });
}
