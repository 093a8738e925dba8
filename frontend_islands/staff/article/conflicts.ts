import type { StaffArticleProps } from "@/api/types";
import { shown } from "../shared/changes";
import { nameOf } from "./names";
import type { Conflict } from "./use-article";
import { type Name, type Values, valuesOf } from "./values";

/** What the dialog of a conflict shows of each field: what was typed, and what somebody else saved. */
export function conflictFields(
  { names, current }: Conflict,
  values: Values,
  categories: StaffArticleProps["categories"],
) {
  const text = (name: Name, of: Values) => {
    if (name === "category")
      return categories.find(({ value }) => value === of.category)?.label ?? of.category;
    if (name === "products") return shown(of.products.map((each) => each.name));
    if (name === "cover") return shown(of.cover?.url.split("/").at(-1) ?? "");
    return shown(of[name]);
  };
  const saved = valuesOf(current);
  return names.map((name) => ({
    name,
    label: nameOf(name),
    mine: text(name, values),
    theirs: text(name, saved),
  }));
}
