import type { FieldChange } from "@/api/types";
import { translate } from "./translate";
import words from "./words.json";

const t = translate(words);

/** What a change does to the fields of a row: what was there, and what comes. */
export function Changes({ changes }: { changes: readonly FieldChange[] }) {
  return (
    <ul className="change-list">
      {changes.map(({ field, label, before, after }) => (
        <li key={field}>
          <span className="change-list__field">{label}</span> <del>{shown(before)}</del> →{" "}
          <ins>{shown(after)}</ins>
        </li>
      ))}
    </ul>
  );
}

/** A value of a change as people read it. */
export function shown(value: unknown): string {
  if (value === true) return t("changes.yes");
  if (value === false) return t("changes.no");
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0))
    return t("changes.empty");
  return Array.isArray(value) ? value.join(", ") : String(value);
}
