import { useQuery } from "@tanstack/react-query";
import type { StaffProductFormProps } from "@/api/types";
import { Loading, Problem } from "../shared/problem";
import { translate } from "../shared/translate";
import { fetchProduct } from "./calls";
import { ProductForm } from "./product-form";
import words from "./words.json";

const t = translate(words);

/** The form of a new product, or of one that is read first. */
export function ProductEditor(props: StaffProductFormProps & { onSaved?: (() => void) | undefined }) {
  const id = props.product_id;
  const product = useQuery({
    queryKey: ["product", id],
    queryFn: ({ signal }) => fetchProduct(id ?? 0, { signal }),
    enabled: id !== null,
    // What is being typed is not replaced behind somebody's back: saving tells of another version.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  if (id === null) return <ProductForm {...props} product={undefined} />;
  if (product.isError) {
    return <Problem title={t("loadFailed")} error={product.error} onRetry={() => void product.refetch()} />;
  }
  if (!product.data) return <Loading text={t("loading")} />;
  return <ProductForm {...props} product={product.data} />;
}
