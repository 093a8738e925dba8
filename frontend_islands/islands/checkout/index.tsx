import { reactIsland } from "@/runtime/react";
import { Checkout } from "./checkout";

export const mount = reactIsland(Checkout);
