import { useState } from "react";
import { Icon } from "@/lib/icon";
import { Field } from "../shared/field";
import { translate } from "../shared/translate";
import words from "./words.json";

const t = translate(words);

interface TagsProps {
  tags: readonly string[];
  most: number;
  error: string | undefined;
  onChange: (tags: string[]) => void;
}

/** Words that articles are found by: Enter or a comma adds one, each once. */
export function Tags({ tags, most, error, onChange }: TagsProps) {
  const [typed, setTyped] = useState("");
  const isFull = tags.length >= most;
  const add = (text: string) => {
    setTyped("");
    const after = [...tags];
    for (const part of text.split(",")) {
      const tag = part.trim().replace(/\s+/g, " ");
      if (tag && after.length < most && !after.some((each) => plain(each) === plain(tag))) after.push(tag);
    }
    if (after.length > tags.length) onChange(after);
  };
  return (
    <Field label={t("fields.tags")} hint={isFull ? t("tags.full", { most }) : t("hints.tags")} error={error}>
      {(control) => (
        <>
          <div className="picks" aria-live="polite">
            {tags.map((tag) => (
              <button
                key={tag}
                type="button"
                className="button button--small"
                aria-label={t("tags.remove", { tag })}
                onClick={() => onChange(tags.filter((each) => each !== tag))}
              >
                {tag} <Icon name="close" />
              </button>
            ))}
          </div>
          <input
            {...control}
            className="input"
            maxLength={40}
            autoComplete="off"
            enterKeyHint="done"
            disabled={isFull}
            value={typed}
            onChange={({ target }) =>
              target.value.includes(",") ? add(target.value) : setTyped(target.value)
            }
            // Pasted whole, a list of tags is longer than what the field takes.
            onPaste={(event) => {
              const pasted = event.clipboardData.getData("text");
              if (!pasted.includes(",")) return;
              event.preventDefault();
              add(`${typed}${pasted}`);
            }}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
              event.preventDefault();
              add(typed);
            }}
            onBlur={() => add(typed)}
          />
        </>
      )}
    </Field>
  );
}

/** As the server tells two tags apart: without capitals and accents. */
function plain(tag: string): string {
  return tag
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");
}
