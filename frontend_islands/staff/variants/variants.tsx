import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { StaffVariantsProps, VariantGrid } from "@/api/types";
import { Loading, Problem } from "../shared/problem";
import { translate } from "../shared/translate";
import { fetchGrid } from "./calls";
import { Grid } from "./grid";
import words from "./words.json";

const t = translate(words);

/** Formats and variants of a product: one grid that is saved whole or not at all. */
export function Variants({ product_id: product, rights }: StaffVariantsProps) {
  const client = useQueryClient();
  const key = ["variants", product];
  const grid = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => fetchGrid(product, signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  const problem = grid.isError && (
    <Problem title={t("loadFailed")} error={grid.error} onRetry={() => void grid.refetch()} />
  );
  if (!grid.data) return problem || <Loading text={t("loading")} />;
  // Read again in vain, it stays with what was typed in it.
  return (
    <>
      {problem}
      <Grid
        product={product}
        rights={rights}
        grid={grid.data}
        onStored={(stored: VariantGrid) => {
          client.setQueryData(key, stored);
          // What was being read before would put the old one back.
          if (client.isFetching({ queryKey: key })) void grid.refetch();
        }}
        onRead={async () => (await grid.refetch()).data}
      />
    </>
  );
}
