import { type ReactNode, useCallback, useId, useRef, useState } from "react";
import type { ArticlePicture } from "@/api/types";
import { toast } from "@/lib/toast";
import type { Language } from "@/runtime/language";
import { pastedImages, Uploads } from "../pictures/add-photos";
import { ACCEPTED } from "../pictures/shrink";
import { UPLOADED } from "../pictures/upload-problem";
import { useUploads } from "../pictures/use-uploads";
import { Dialog } from "../shared/dialog";
import { insert, paragraphsOf } from "../shared/paste";
import { ProductPicker } from "../shared/product-picker";
import { translate } from "../shared/translate";
import { PICTURES } from "./calls";
import { asBlock, prefixLines, wrap } from "./markdown";
import { PictureDialog } from "./picture-dialog";
import { Preview } from "./preview";
import words from "./words.json";

const t = translate(words);
const PANES = { write: "panes.write", source: "panes.source", preview: "panes.preview" } as const;
const TOOLS = {
  heading: "tools.heading",
  bold: "tools.bold",
  italic: "tools.italic",
  list: "tools.list",
  numbers: "tools.numbers",
  link: "tools.link",
} as const;
type Pane = "write" | "source" | "preview";

interface ContentEditorProps {
  language: Language;
  value: string;
  /** The French text beside a translation. */
  source: string | undefined;
  error: string | undefined;
  note: ReactNode;
  onChange: (text: string) => void;
}

/** The text in Markdown with what the page makes of it: side by side, one after the other on a phone. */
export function ContentEditor({ language, value, source, error, note, onChange }: ContentEditorProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const [chosen, setPane] = useState<Pane>("write");
  const [isPicking, setPicking] = useState(false);
  // Each stored one waits until it is put in.
  const [stored, setStored] = useState<ArticlePicture[]>([]);
  const [picture] = stored;
  const next = () => setStored((all) => all.slice(1));
  const pictures = useUploads<ArticlePicture>(
    PICTURES,
    useCallback((picture) => {
      setStored((all) => [...all, picture]);
      toast({ kind: "success", title: UPLOADED });
    }, []),
  );
  const edit = (write: (field: HTMLTextAreaElement) => void) => {
    if (!area.current) return;
    setPane("write");
    write(area.current);
    onChange(area.current.value);
  };
  const tools = [
    { name: "heading", run: (field: HTMLTextAreaElement) => prefixLines(field, "## ") },
    { name: "bold", run: (field: HTMLTextAreaElement) => wrap(field, "**", t("tools.boldText")) },
    { name: "italic", run: (field: HTMLTextAreaElement) => wrap(field, "*", t("tools.boldText")) },
    { name: "list", run: (field: HTMLTextAreaElement) => prefixLines(field, "- ") },
    { name: "numbers", run: (field: HTMLTextAreaElement) => prefixLines(field, "1. ") },
    {
      name: "link",
      run: (field: HTMLTextAreaElement) => {
        const words = field.value.slice(field.selectionStart, field.selectionEnd) || t("tools.linkText");
        insert(field, `[${words}](https://)`);
      },
    },
  ] as const;
  const panes: Pane[] = source === undefined ? ["write", "preview"] : ["write", "source", "preview"];
  const pane = panes.includes(chosen) ? chosen : "write";
  const beside = pane === "write" ? (panes[1] ?? "preview") : pane;
  return (
    <div className="field writer" data-pane={pane}>
      <label className="field__label" htmlFor={id}>
        {t("fields.content")} {language === "fr" && <span aria-hidden="true">*</span>}
      </label>
      <p className="field__hint muted" id={`${id}-hint`}>
        {t("hints.content")}
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset can't scroll sideways everywhere. */}
      <div
        className={source === undefined ? "staff-segments writer__panes--two" : "staff-segments"}
        role="group"
        aria-label={t("panes.label")}
      >
        {panes.map((name) => (
          <button key={name} type="button" aria-pressed={name === pane} onClick={() => setPane(name)}>
            {t(PANES[name])}
          </button>
        ))}
      </div>
      <div className="writer__columns">
        <div className="writer__write">
          <div className="writer__tools" role="toolbar" aria-label={t("tools.label")} aria-controls={id}>
            {tools.map(({ name, run }) => (
              <button key={name} type="button" className="writer__tool" onClick={() => edit(run)}>
                {t(TOOLS[name])}
              </button>
            ))}
            <button type="button" className="writer__tool" onClick={() => chooser.current?.click()}>
              {t("tools.picture")}
            </button>
            <button type="button" className="writer__tool" onClick={() => setPicking(true)}>
              {t("tools.product")}
            </button>
          </div>
          <input
            ref={chooser}
            className="visually-hidden"
            type="file"
            accept={ACCEPTED}
            multiple
            tabIndex={-1}
            aria-label={t("tools.picture")}
            onChange={({ currentTarget }) => {
              pictures.add(currentTarget.files ?? []);
              currentTarget.value = "";
            }}
          />
          <textarea
            // Each language undoes what was typed in it; pictures on their way stay.
            key={language}
            ref={area}
            id={id}
            className="textarea writer__area"
            rows={15}
            lang={language}
            aria-invalid={error ? true : undefined}
            aria-required={language === "fr" || undefined}
            aria-describedby={error ? `${id}-hint ${id}-error` : `${id}-hint`}
            value={value}
            onChange={(event) => onChange(event.target.value)}
            onPaste={(event) => {
              const { clipboardData: data } = event;
              const files = pastedImages(data);
              const text = paragraphsOf(data.getData("text/html"), data.getData("text/plain"));
              if (!files.length && !text) return;
              event.preventDefault();
              if (files.length) pictures.add(files);
              else edit((field) => insert(field, text));
            }}
            onDragOver={(event) => event.dataTransfer.types.includes("Files") && event.preventDefault()}
            onDrop={(event) => {
              if (!event.dataTransfer.types.includes("Files")) return;
              event.preventDefault();
              pictures.add(event.dataTransfer.files);
            }}
          />
          <Uploads {...pictures} />
        </div>
        <div className="writer__beside">
          {beside === "source" ? (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys must reach it.
            <section className="writer__source" lang="fr" aria-label={t("panes.source")} tabIndex={0}>
              {source || <span className="muted">{t("texts.none")}</span>}
            </section>
          ) : (
            <Preview key={language} text={value} language={language} />
          )}
        </div>
      </div>
      {error && (
        <p className="field__error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {note}
      {picture && (
        <PictureDialog
          // What was typed about one is not said of the next.
          key={picture.id}
          picture={picture}
          onClose={next}
          onInsert={(markdown) => {
            edit((field) => asBlock(field, markdown));
            next();
          }}
        />
      )}
      {isPicking && (
        <Dialog title={t("tools.productTitle")} onClose={() => setPicking(false)}>
          <ProductPicker
            label={t("tools.productLabel")}
            picked={[]}
            onChange={([product]) => {
              setPicking(false);
              if (product) edit((field) => asBlock(field, `[${product.name}](/produit/${product.id})`));
            }}
          />
        </Dialog>
      )}
    </div>
  );
}
