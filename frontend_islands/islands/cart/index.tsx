import { earlyArrival } from "@/purchase/early";
import type { CartProps } from "@/purchase/types";
import type { Mount } from "@/runtime/island";
import { reactIsland } from "@/runtime/react";
import { Cart } from "./cart";

const draw = reactIsland(Cart);

export const mount: Mount<CartProps> = async (host, props) => {
  await earlyArrival();
  return draw(host, props);
};
