/**
 * Editing on the public pages of products and articles, for whoever may: the pages are the same for everybody, so it is
 * drawn here.
 */
import { getJson } from "@/lib/api";
import { toast } from "@/lib/toast";
import type { Mount, Unmount } from "./island";

interface InPlace {
  script: string;
  styles: string;
  props: object;
}

/** Puts the button below the product's name. What the form is made of is fetched when it is pressed. */
export function offerEditing(head: HTMLElement): void {
  const id = head.dataset.product;
  const page = head.closest<HTMLElement>(".product");
  if (!page || head.querySelector("[data-edit]")) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button button--small";
  button.dataset.edit = "";
  // The staff area is French, whatever the page's language.
  button.lang = "fr";
  button.textContent = "Modifier le produit";
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await edit(page, `/api/admin/products/${id}/in-place`, button);
    } catch {
      toast({ kind: "error", title: "La fiche ne s'ouvre pas. Réessayez dans un instant." });
    }
    button.disabled = false;
  });
  head.append(button);
}

/** Makes the link to an article's editor open it in place of the article; in a new tab it stays a link. */
export function editArticleInPlace(link: HTMLAnchorElement): void {
  const page = document.querySelector<HTMLElement>(".article");
  if (!page || link.dataset.edit) return;
  link.dataset.edit = "in-place";
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    edit(page, `/api/admin/posts/${link.dataset.article}/in-place`, link).catch(() =>
      location.assign(link.href),
    );
  });
}

async function edit(page: HTMLElement, address: string, button: HTMLElement): Promise<void> {
  const { script, styles, props } = await getJson<InPlace>(address);
  addStyles(styles);
  const { mount } = (await import(script)) as { mount: Mount<object> };
  const host = document.createElement("div");
  host.lang = "fr";
  page.before(host);
  let unmount: Unmount | undefined;
  const onCancel = () => {
    unmount?.();
    host.remove();
    page.hidden = false;
    button.focus();
  };
  // Whatever was stored shows on the page as everybody sees it.
  const onSaved = () => location.reload();
  unmount = await mount(host, { ...props, onCancel, onSaved });
  page.hidden = true;
  host.querySelector<HTMLElement>("h2")?.scrollIntoView();
}

function addStyles(address: string): void {
  if (document.querySelector(`link[href="${CSS.escape(address)}"]`)) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = address;
  document.head.append(link);
}
