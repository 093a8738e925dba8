import type { VariantFormat } from "@/api/types";
import { Icon } from "@/lib/icon";
import { formatMoney } from "@/lib/money";
import { translate } from "../shared/translate";
import words from "./words.json";

const t = translate(words);

interface FormatListProps {
  formats: readonly VariantFormat[];
  canEdit: boolean;
  onMove: (format: VariantFormat, to: number) => void;
  onEdit: (format: VariantFormat) => void;
  onDefault: (format: VariantFormat) => void;
  onRemove: (format: VariantFormat) => void;
}

/** The formats in the order of the product's page. Of those that nobody made the default one, the first is. */
export function FormatList({ formats, canEdit, onMove, onEdit, onDefault, onRemove }: FormatListProps) {
  const chosen = formats.find((format) => format.is_default) ?? formats[0];
  return (
    <ul className="formats">
      {formats.map((format, index) => {
        const tool = (icon: string, label: string, run: () => void, isOff = false) => (
          <button
            className="photo__tool"
            type="button"
            aria-label={`${label} : ${format.name}`}
            title={label}
            aria-disabled={isOff}
            onClick={() => !isOff && run()}
          >
            <Icon name={icon} />
          </button>
        );
        return (
          <li className="formats__row" key={format.id}>
            <div className="formats__text">
              <strong>{format.name}</strong>{" "}
              {format === chosen && <span className="badge">{t("default")}</span>}
              <p className="muted">{priceText(format)}</p>
            </div>
            {canEdit && (
              <div className="formats__tools">
                {tool("chevron-up", t("up"), () => onMove(format, index - 1), index === 0)}
                {tool(
                  "chevron-down",
                  t("down"),
                  () => onMove(format, index + 1),
                  index === formats.length - 1,
                )}
                {tool("check", t("makeDefault"), () => onDefault(format), format.is_default)}
                {tool("pencil", t("rename"), () => onEdit(format))}
                {tool("trash", t("remove"), () => onRemove(format))}
              </div>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function priceText({ price_override: fixed, price_adjustment: adjustment }: VariantFormat): string {
  if (fixed) return t("override", { amount: formatMoney(fixed) });
  const amount = Number(adjustment);
  if (!amount) return t("samePrice");
  return t("adjustment", { amount: `${amount > 0 ? "+" : ""}${formatMoney(adjustment)}` });
}
