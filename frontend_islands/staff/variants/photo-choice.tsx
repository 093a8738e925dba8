import type { VariantGrid, VariantRow } from "@/api/types";
import { Dialog } from "../shared/dialog";
import { translate } from "../shared/translate";
import words from "./words.json";

const t = translate(words);

interface PhotoChoiceProps {
  row: VariantRow;
  photos: VariantGrid["images"];
  chosen: readonly number[];
  onChange: (ids: number[]) => void;
  onClose: () => void;
}

/** Which photos show one variant and it alone. */
export function PhotoChoice({ row, photos, chosen, onChange, onClose }: PhotoChoiceProps) {
  return (
    <Dialog
      title={t("photosTitle", { label: row.label || t("single") })}
      onClose={onClose}
      actions={
        <button className="button button--primary" type="button" onClick={onClose}>
          {t("done")}
        </button>
      }
    >
      <p className="muted">{photos.length ? t("photosText") : t("photosEmpty")}</p>
      <ul className="photo-choice">
        {photos.map((photo, index) => {
          const isChosen = chosen.includes(photo.id);
          return (
            <li key={photo.id}>
              <label>
                <input
                  type="checkbox"
                  checked={isChosen}
                  onChange={() =>
                    onChange(isChosen ? chosen.filter((id) => id !== photo.id) : [...chosen, photo.id])
                  }
                />
                <img src={photo.thumbnail_url} alt="" />
                <span>{t("photo", { number: index + 1 })}</span>
              </label>
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
