import { staffIsland } from "../shared/staff-island";
import { ProductImport } from "./product-import";

export const mount = staffIsland(ProductImport);
