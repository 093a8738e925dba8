import type { ArticlePicture } from "@/api/types";
import { Icon } from "@/lib/icon";
import { AddPhotos } from "../pictures/add-photos";
import { useUploads } from "../pictures/use-uploads";
import { Field } from "../shared/field";
import { translate } from "../shared/translate";
import { addPictureByAddress, PICTURES } from "./calls";
import words from "./words.json";

const t = translate(words);

interface CoverProps {
  picture: ArticlePicture | null;
  alt: string;
  error: string | undefined;
  onChange: (picture: ArticlePicture | null) => void;
  onAlt: (alt: string) => void;
}

/** The picture above the article: from the machine, pasted, dropped, or by its address. */
export function Cover({ picture, alt, error, onChange, onAlt }: CoverProps) {
  const uploads = useUploads<ArticlePicture>(PICTURES, onChange);
  return (
    <>
      {picture && (
        <div className="article-cover">
          <img src={picture.url} alt={alt} width={picture.width} height={picture.height} />
          <button className="button button--small" type="button" onClick={() => onChange(null)}>
            <Icon name="trash" /> {t("cover.remove")}
          </button>
        </div>
      )}
      <AddPhotos
        uploads={uploads}
        label={picture ? t("cover.replace") : t("cover.add")}
        isSingle
        onAddress={async (address, key) => onChange(await addPictureByAddress(address, key))}
      />
      {error && <p className="field__error">{error}</p>}
      {picture && (
        <Field label={t("fields.cover_alt")} hint={t("hints.cover_alt")}>
          {(control) => (
            <input
              className="input"
              maxLength={250}
              {...control}
              value={alt}
              onChange={(event) => onAlt(event.target.value)}
            />
          )}
        </Field>
      )}
    </>
  );
}
