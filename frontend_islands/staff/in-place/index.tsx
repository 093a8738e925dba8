import type { StaffProductFormProps } from "@/api/types";
import { ProductEditor } from "../product-form/product-editor";
import { staffIsland } from "../shared/staff-island";
import { translate } from "../shared/translate";
import words from "./words.json";

const t = translate(words);

interface InPlaceProps extends StaffProductFormProps {
  onCancel: () => void;
  onSaved: () => void;
}

/** The product's form in place of its public page; photos and formats have the staff's page. */
export function InPlace({ onCancel, ...props }: InPlaceProps) {
  return (
    <section className="in-place" aria-label={t("title")}>
      <div className="cluster cluster--between">
        <h2>{t("title")}</h2>
        <div className="cluster">
          <a className="button button--quiet" href={`/admin/produits/${props.product_id}`}>
            {t("whole")}
          </a>
          <button className="button" type="button" onClick={onCancel}>
            {t("cancel")}
          </button>
        </div>
      </div>
      <ProductEditor {...props} />
    </section>
  );
}

export const mount = staffIsland(InPlace);
