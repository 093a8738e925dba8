import type { StaffProductFormProps } from "@/api/types";
import { shown } from "../shared/changes";
import { labelOf } from "./labels";
import type { Conflict } from "./use-product-form";
import { type Name, type Values, valuesOf } from "./values";

/** What the dialog of a conflict shows of each field: what was typed, and what somebody else saved. */
export function conflictFields(
  { names, current }: Conflict,
  values: Values,
  categories: StaffProductFormProps["categories"],
) {
  const text = (name: Name, of: Values) => {
    if (name === "category") return categories.find(({ id }) => String(id) === of.category)?.name ?? "";
    if (name === "picked_similar") return shown(of.picked_similar.map((each) => each.name));
    return shown(of[name]);
  };
  const saved = valuesOf(current);
  return names.map((name) => ({
    name,
    label: labelOf(name),
    mine: text(name, values),
    theirs: text(name, saved),
  }));
}
