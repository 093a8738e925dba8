import { reactIsland } from "@/runtime/react";
import { Cart } from "./cart";

export const mount = reactIsland(Cart);
