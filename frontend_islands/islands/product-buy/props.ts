import type { components } from "@/api/schema";

export type ProductBuyProps = components["schemas"]["ProductBuyProps"];
export type BuyFinish = components["schemas"]["BuyFinish"];
export type BuyVariation = components["schemas"]["BuyVariation"];
/** One price: a finish (null where the product has none) in a format (null likewise). */
export type BuyOffer = components["schemas"]["BuyOffer"];
