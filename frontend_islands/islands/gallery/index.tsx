import { reactIsland } from "@/runtime/react";
import { Gallery } from "./gallery";

export const mount = reactIsland(Gallery);
