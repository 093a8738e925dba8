import { staffIsland } from "../shared/staff-island";
import { ProductList } from "./product-list";

export const mount = staffIsland(ProductList);
