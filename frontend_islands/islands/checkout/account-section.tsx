import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from "react";
import type { CheckoutProps, Me } from "@/api/types";
import { forgetOther } from "@/lib/cart-copy";
import { fetchMe, forgetMe, mayBeMember } from "@/lib/me";
import { useTranslation } from "@/runtime/react";
import { PasswordField, TextField } from "./fields";
import type { Form } from "./use-form";
import type { Access } from "./validation";

interface AccountSectionProps {
  form: Form;
  /** The member's address; null for who is not signed in. */
  memberEmail: string | null;
  passwordMin: number;
  links: CheckoutProps["links"];
}

export function AccountSection({ form, memberEmail, passwordMin, links }: AccountSectionProps) {
  const { t } = useTranslation();
  const { access } = form.answers;
  return (
    <fieldset className="form__section">
      <legend className="form__legend">
        <span className="form__step">1</span> {t("checkout.account")}
      </legend>
      {access === "member" ? (
        <p>{memberEmail ? t("checkout.signedInAs", { email: memberEmail }) : t("checkout.recognising")}</p>
      ) : (
        <>
          <AccessTabs form={form} />
          <div
            className="stack"
            role="tabpanel"
            id="checkout-access"
            aria-labelledby={`checkout-tab-${access}`}
          >
            <p className="muted">
              {access === "signup" && t("checkout.signupText")}
              {access === "signin" && t("checkout.signinText")}
              {access === "guest" && t("checkout.guestText")}
            </p>
            <TextField
              form={form}
              name="email"
              label={t("checkout.email")}
              type="email"
              inputMode="email"
              autoComplete={access === "signin" ? "username" : "email"}
              autoCapitalize="none"
              spellCheck="false"
            />
            {access === "signup" && (
              <PasswordField
                form={form}
                autoComplete="new-password"
                hint={t("checkout.passwordHint", { min: passwordMin })}
              />
            )}
            {access === "signin" && (
              <>
                <PasswordField form={form} autoComplete="current-password" />
                <p>
                  <a href={links.forgot} target="_blank" rel="noopener">
                    {t("checkout.forgot")}
                    <span className="visually-hidden"> {t("checkout.newTab")}</span>
                  </a>
                </p>
              </>
            )}
          </div>
        </>
      )}
    </fieldset>
  );
}

function AccessTabs({ form }: { form: Form }) {
  const { t } = useTranslation();
  const list = useRef<HTMLDivElement>(null);
  const tabs: { access: Access; label: string }[] = [
    { access: "signup", label: t("checkout.signup") },
    { access: "signin", label: t("checkout.signin") },
    { access: "guest", label: t("checkout.guest") },
  ];
  const current = tabs.findIndex(({ access }) => access === form.answers.access);

  /** Arrows move between tabs, as in every tab list. */
  const move = (event: KeyboardEvent) => {
    const target = {
      ArrowRight: current + 1,
      ArrowLeft: current - 1,
      Home: 0,
      End: tabs.length - 1,
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const index = (target + tabs.length) % tabs.length;
    const next = tabs[index];
    if (next) form.setAccess(next.access);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[index]?.focus();
  };

  return (
    <div className="tabs" role="tablist" aria-label={t("checkout.account")} ref={list} onKeyDown={move}>
      {tabs.map(({ access, label }, index) => (
        <button
          key={access}
          className="tabs__tab"
          type="button"
          role="tab"
          id={`checkout-tab-${access}`}
          aria-controls="checkout-access"
          aria-selected={index === current}
          tabIndex={index === current ? 0 : -1}
          onClick={() => form.setAccess(access)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

export interface Member {
  /** Signed in, or very probably so while the server is being asked. */
  isMember: boolean;
  /** The account's address, once it is known. */
  email: string | null;
  /** Asks again, after an order that may have signed somebody in. Null: the server did not answer. */
  refresh: () => Promise<Me | null>;
}

/** Asks who the visitor is when the page opens. */
export function useMember(): Member {
  const [me, setMe] = useState<Me | null>(null);
  const [isAsking, setIsAsking] = useState(mayBeMember);

  const ask = useCallback(async () => {
    try {
      const found = await fetchMe();
      if (found.cart) forgetOther(found.cart.owner);
      setMe(found);
      return found;
    } catch {
      // Who can't be recognised may still order; the order's own answer says what is wrong.
      return null;
    } finally {
      setIsAsking(false);
    }
  }, []);
  useEffect(() => void ask(), [ask]);
  const refresh = useCallback(() => {
    forgetMe();
    return ask();
  }, [ask]);

  return { isMember: me?.authenticated ?? isAsking, email: me?.email ?? null, refresh };
}
