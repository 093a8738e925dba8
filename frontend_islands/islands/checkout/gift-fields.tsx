import { LIMITS } from "@/api/limits";
import { useTranslation } from "@/runtime/react";
import { described, FieldFrame, TextField } from "./fields";
import type { Form } from "./use-form";

/** A parcel for somebody else: their name on it, a message in it, no prices. */
export function GiftFields({ form }: { form: Form }) {
  const { t } = useTranslation();
  const { isGift, texts } = form.answers;
  const limit = LIMITS.GiftRequest.message;
  return (
    <>
      <label className="check">
        <input type="checkbox" checked={isGift} onChange={(event) => form.setGift(event.target.checked)} />
        <span>{t("checkout.gift")}</span>
      </label>
      {isGift && (
        <div className="stack">
          <p className="muted">{t("checkout.giftText")}</p>
          <TextField
            form={form}
            name="gift.recipient"
            label={t("checkout.recipient")}
            hint={t("checkout.recipientHint")}
            autoComplete="shipping name"
          />
          <FieldFrame
            form={form}
            name="gift.message"
            label={t("checkout.giftMessage")}
            hint={t("checkout.giftMessageHint", { left: limit - texts["gift.message"].length })}
            isOptional
          >
            <textarea
              className="textarea"
              rows={3}
              maxLength={limit}
              value={texts["gift.message"]}
              onChange={(event) => form.setText("gift.message", event.target.value)}
              {...described(form, "gift.message", "hint")}
            />
          </FieldFrame>
        </div>
      )}
    </>
  );
}
