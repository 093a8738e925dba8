import { staffIsland } from "../shared/staff-island";
import { Pictures } from "./pictures";

export const mount = staffIsland(Pictures);
