import { useState } from "react";
import type { ArticlePicture } from "@/api/types";
import { Dialog } from "../shared/dialog";
import { Field } from "../shared/field";
import { translate } from "../shared/translate";
import { pictureMarkdown } from "./markdown";
import words from "./words.json";

const t = translate(words);

interface PictureDialogProps {
  picture: ArticlePicture;
  onInsert: (markdown: string) => void;
  onClose: () => void;
}

/** What a picture shows and what stands below it, before it is put into the text. */
export function PictureDialog({ picture, onInsert, onClose }: PictureDialogProps) {
  const [alt, setAlt] = useState("");
  const [caption, setCaption] = useState("");
  const put = () => onInsert(pictureMarkdown(picture.url, alt, caption));
  return (
    <Dialog
      title={t("pictures.title")}
      typed={[alt, caption]}
      onClose={onClose}
      actions={
        <button className="button button--primary" type="button" onClick={put}>
          {t("pictures.insert")}
        </button>
      }
    >
      <img
        className="writer__picture"
        src={picture.url}
        alt=""
        width={picture.width}
        height={picture.height}
      />
      <Field label={t("fields.cover_alt")} hint={t("pictures.altHint")}>
        {(control) => (
          <input
            {...control}
            className="input"
            maxLength={250}
            data-autofocus
            value={alt}
            onChange={(event) => setAlt(event.target.value)}
          />
        )}
      </Field>
      <Field label={t("pictures.caption")}>
        {(control) => (
          <input
            {...control}
            className="input"
            maxLength={200}
            value={caption}
            onChange={(event) => setCaption(event.target.value)}
          />
        )}
      </Field>
    </Dialog>
  );
}
