import { staffIsland } from "../shared/staff-island";
import { Variants } from "./variants";

export const mount = staffIsland(Variants);
