import { staffIsland } from "../shared/staff-island";
import { ProductEditor } from "./product-editor";

export const mount = staffIsland(ProductEditor);
