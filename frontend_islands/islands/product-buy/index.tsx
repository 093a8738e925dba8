import { reactIsland } from "@/runtime/react";
import { ProductBuy } from "./product-buy";

export const mount = reactIsland(ProductBuy);
