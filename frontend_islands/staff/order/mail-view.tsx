/** A mail as its reader sees it, apart from the page's styles; the page's policy allows no inline ones. */
import { useEffect, useRef } from "react";
import type { MailPreview } from "@/api/types";
import { translate } from "@/staff/shared/translate";
import words from "./words.json";

const t = translate(words);
const STYLES = /<style[^>]*>([\s\S]*?)<\/style>/g;

export function MailViews({ mails }: { mails: MailPreview[] }) {
  if (mails.length === 0) return <p>{t("previewNone")}</p>;
  return (
    <>
      {mails.map((mail) => (
        <div key={mail.subject} className="order-mail">
          <p className="order-mail__head">{t("previewTo", { to: mail.to, subject: mail.subject })}</p>
          <Html
            html={mail.html}
            language={mail.language}
            label={t("previewFrame", { subject: mail.subject })}
          />
        </div>
      ))}
      <p className="muted">{t("previewPause")}</p>
    </>
  );
}

function Html({ html, language, label }: { html: string; language: string; label: string }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const root = host.current;
    if (!root) return;
    const shadow = root.shadowRoot ?? root.attachShadow({ mode: "open" });
    shadow.replaceChildren(draw(html));
    shadow.adoptedStyleSheets = sheetsOf(html);
  }, [html]);
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keyboard.
  return <section ref={host} className="order-mail__body" lang={language} tabIndex={0} aria-label={label} />;
}

/** The mail's body: its styles are set one by one, and nothing in it runs or leads away from here. */
function draw(html: string): HTMLElement {
  const parsed = parse(html);
  const body = document.createElement("div");
  body.dataset.css = parsed.body.dataset.css ?? "";
  for (const unwanted of parsed.querySelectorAll("script, style, link, iframe, form, base"))
    unwanted.remove();
  body.append(...document.importNode(parsed.body, true).childNodes);
  for (const element of [body, ...body.querySelectorAll<HTMLElement>("[data-css]")])
    element.style.cssText = element.dataset.css ?? "";
  for (const link of body.querySelectorAll("a")) link.removeAttribute("href");
  return body;
}

function sheetsOf(html: string): CSSStyleSheet[] {
  return [...html.matchAll(STYLES)].map(([, text = ""]) => {
    const sheet = new CSSStyleSheet();
    // In a shadow tree the page is its host.
    sheet.replaceSync(text.replace(/(^|[\s,}])(?:body|html|:root)(?=[\s,{])/g, "$1:host"));
    return sheet;
  });
}

/** Without what the page's policy would refuse: styles wait beside their elements. */
function parse(html: string): Document {
  const plain = html.replace(STYLES, "").replace(/(<[^>]*?\s)style="/g, '$1data-css="');
  return new DOMParser().parseFromString(plain, "text/html");
}
