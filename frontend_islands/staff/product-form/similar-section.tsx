import { useController } from "react-hook-form";
import { ProductPicker } from "../shared/product-picker";
import { translate } from "../shared/translate";
import type { Values } from "./values";
import words from "./words.json";

const t = translate(words);

/** Products to show beside this one. */
export function SimilarSection({ ownId, isDisabled }: { ownId: number | undefined; isDisabled: boolean }) {
  const { field, fieldState } = useController<Values, "picked_similar">({ name: "picked_similar" });
  return (
    <ProductPicker
      label={t("fields.picked_similar")}
      hint={t("similarHint")}
      error={fieldState.error?.message}
      picked={field.value}
      onChange={field.onChange}
      ownId={ownId}
      isDisabled={isDisabled}
      field={field.ref}
    />
  );
}
