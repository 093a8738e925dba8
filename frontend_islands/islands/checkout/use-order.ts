import { useLayoutEffect, useRef, useState } from "react";
import type { CheckoutAnswer, PaymentMode, Quote } from "@/api/types";
import { ApiProblem, postJson } from "@/lib/api";
import type { CartLine } from "@/lib/cart";
import { keepCopy, noteOrdered } from "@/lib/cart-copy";
import { goTo } from "@/lib/navigate";
import { randomKey } from "@/lib/random-key";
import { asProblem, inTime } from "@/purchase/calls";
import { ATTEMPT_KEY, dropTab, ORDERED_KEY, type Ordered, readTab, writeTab } from "@/purchase/tab-memory";
import { type Quoting, useOnReturn } from "@/purchase/use-quote";
import { useTranslation } from "@/runtime/react";
import type { Member } from "./account-section";
import type { AddressBook } from "./address-book";
import { outcomeOf } from "./outcome";
import type { Form } from "./use-form";
import type { Answers } from "./validation";

interface Ordering {
  lines: readonly CartLine[];
  quoting: Quoting;
  form: Form;
  member: Member;
  book: AddressBook;
  mode: PaymentMode;
  /** The code of the country that the customer names. */
  otherCountry: string;
  /** Of the terms that the page leads to. */
  termsVersion: string;
}

interface Notice {
  title: string;
  text: string;
  /** The order that the notice is about. */
  link?: string;
  /** The link is the sign-in page rather than the order. */
  leadsToSignin?: boolean;
}

interface Change {
  detail: string;
  /** What the customer saw when they ordered: a newer quote of what they typed may have come since. */
  before: Quote;
  quote: Quote;
  question: string;
}

/** Who is still here after this time has stopped the payment page from loading, or it does not answer. */
const LEAVING_MS = 10_000;

/** Sends the order and turns what comes back into something to read, to mend or to decide. */
export function useOrder({ lines, quoting, form, member, book, mode, otherCountry, termsVersion }: Ordering) {
  const { t } = useTranslation();
  const [isBusy, setIsBusy] = useState(false);
  const [summary, setSummary] = useState<{ title: string | null; others: readonly string[] } | null>(null);
  const [notice, setNotice] = useState<Notice | null>(null);
  const [change, setChange] = useState<Change | null>(null);
  // Another country or cart since then: the question is a new one.
  const changed = change?.question === quoting.question ? change : null;
  const summaryRef = useRef<HTMLDivElement>(null);
  const noticeRef = useRef<HTMLDivElement>(null);
  const payRef = useRef<HTMLButtonElement>(null);
  /** Counts the times that the customer must be led somewhere; the effect below does it once it is drawn. */
  const [lead, setLead] = useState<{ to: "summary" | "notice" | "pay" } | null>(null);
  /** Other terms may be published while the page is open. */
  const terms = useRef(termsVersion);
  /** Two clicks can be faster than a redraw. */
  const sending = useRef(false);

  useLayoutEffect(() => {
    if (!lead) return;
    const target = { summary: summaryRef, notice: noticeRef, pay: payRef }[lead.to].current;
    target?.focus();
    target?.scrollIntoView?.({ block: "nearest" });
  }, [lead]);

  const release = () => {
    sending.current = false;
    setIsBusy(false);
  };

  // Back from the payment page, which may have been left in the middle of sending.
  useOnReturn(() => {
    release();
    quoting.retry();
  });

  const clear = () => {
    setSummary(null);
    setNotice(null);
    setChange(null);
  };

  const place = async () => {
    const { quote } = quoting;
    if (sending.current || !quote) return;
    clear();
    const postalCode = quoting.isOfAddress && quote.postal_code_error;
    if (Object.keys(form.check(postalCode ? { postalCode } : {})).length > 0) {
      setSummary({ title: null, others: [] });
      setLead({ to: "summary" });
      return;
    }
    sending.current = true;
    setIsBusy(true);
    try {
      if (form.answers.access === "member") await stayMember();
      goTo(await send(form.answers, lines, mode, quote));
      setTimeout(release, LEAVING_MS);
    } catch (error) {
      release();
      receive(asProblem(error), quote);
    }
  };

  /** Who was told to be signed in orders as that member, or is asked: sessions end, also in another tab. */
  const stayMember = async () => {
    const me = await member.refresh();
    if (!me) return;
    if (me.authenticated) {
      if (!member.email || me.email === member.email) return;
      throw new ApiProblem(401, "signed_out", t("checkout.otherMember", { email: me.email ?? "" }));
    }
    keepCopy();
    form.setAccess("signin");
    form.setText("email", member.email ?? "");
    throw new ApiProblem(401, "signed_out", t("checkout.signedOut"));
  };

  const send = async (answers: Answers, cart: readonly CartLine[], payment: PaymentMode, quote: Quote) => {
    const { access } = answers;
    const demand = {
      lines: cart,
      customer: customerOf(answers, member.email, otherCountry),
      payment_mode: payment,
      expected_total: quote.total,
      ...(quote.lead_time && { expected_date: quote.lead_time.latest }),
    };
    const wantsAccount = access === "signup" || access === "signin";
    const body = {
      ...demand,
      ...(wantsAccount && { account: { mode: access, password: answers.texts.password } }),
      accept_terms: answers.hasAcceptedTerms,
      terms_version: terms.current,
    };
    const key = keyFor([demand, access === "guest"], payment);
    const answer = await inTime((signal) =>
      postJson<CheckoutAnswer>("/api/checkout", body, { headers: { "Idempotency-Key": key }, signal }),
    );
    if (!answer?.url) throw new ApiProblem(201, "unreadable", t("checkout.noUrl"));
    writeTab(ORDERED_KEY, { reference: answer.reference, lines: [...cart] } satisfies Ordered);
    if (answer.cart_owner) noteOrdered(answer.cart_owner, cart);
    await book.save(answers);
    return answer.url;
  };

  const receive = (problem: ApiProblem, before: Quote) => {
    if (problem.code === "terms_changed" && typeof problem.body.terms_version === "string") {
      terms.current = problem.body.terms_version;
      form.setTerms(false);
    }
    const outcome = outcomeOf(problem);
    const text = problem.detail || (problem.code === "network" ? t("common.network") : t("checkout.failed"));
    const titles = {
      form: t("checkout.error"),
      signin: t("checkout.signinError"),
      signup: t("checkout.signupError"),
    };
    switch (outcome.kind) {
      case "fields":
        form.setErrors(outcome.errors);
        setSummary({
          title: outcome.about === "form" ? null : titles[outcome.about],
          others: outcome.others,
        });
        setLead({ to: "summary" });
        break;
      case "changed":
        setChange({ detail: outcome.detail, before, quote: outcome.quote, question: quoting.question });
        setLead({ to: "notice" });
        break;
      case "paid":
        dropAttempt();
        setNotice({ title: t("checkout.alreadyPaid"), text, link: outcome.url });
        setLead({ to: "notice" });
        break;
      case "refused":
        if (outcome.isSpent) dropAttempt();
        setNotice({
          title: problem.code === "installments_minimum" ? t("checkout.minimumTitle") : titles[outcome.about],
          text: outcome.isSpent ? t("checkout.spent") : text,
          ...(outcome.url && { link: outcome.url, leadsToSignin: outcome.about === "signin" }),
        });
        setLead({ to: "notice" });
        break;
    }
    void recognise();
  };

  /** An order that did not get as far as the payment page may have signed its customer in all the same. */
  const recognise = async () => {
    if (form.answers.access !== "signin") return;
    const me = await member.refresh();
    if (me?.authenticated) form.setText("password", "");
  };

  const accept = () => {
    if (!changed) return;
    quoting.adopt(changed.quote);
    setChange(null);
    setLead({ to: "pay" });
  };

  return {
    isBusy,
    summary,
    notice,
    changed,
    summaryRef,
    noticeRef,
    payRef,
    place,
    accept,
    /** The button was used although something prevents the order, which the text beside it says. */
    refuse: () => setLead({ to: changed ? "notice" : "pay" }),
  };
}

/** As it was typed: the server trims and normalises. */
function customerOf(answers: Answers, memberEmail: string | null, otherCountry: string) {
  const { texts, access, country } = answers;
  const email = access === "member" && memberEmail ? memberEmail : texts.email;
  return {
    email,
    firstName: texts.firstName,
    lastName: texts.lastName,
    address: texts.address,
    postalCode: texts.postalCode,
    city: texts.city,
    country,
    customCountry: country === otherCountry ? texts.customCountry : "",
    phone: texts.phone,
    notes: texts.notes,
    ...(answers.isGift && {
      gift: { recipient: texts["gift.recipient"], message: texts["gift.message"] },
    }),
    ...(answers.hasBilling && {
      billing: {
        name: texts["billing.name"],
        company: texts["billing.company"],
        companyNumber: texts["billing.companyNumber"],
        address: texts["billing.address"],
        postalCode: texts["billing.postalCode"],
        city: texts["billing.city"],
        country: texts["billing.country"],
        customCountry: texts["billing.country"] === otherCountry ? texts["billing.customCountry"] : "",
      },
    }),
  };
}

/**
 * The `Idempotency-Key` of a demand, which is anything that JSON can write; no password belongs in it. A second click,
 * a retry after a lost answer or a reload of the page send the same key and get the same order.
 */
function keyFor(demand: unknown, mode: PaymentMode): string {
  const fingerprint = digest(JSON.stringify(demand));
  const last = Object(readTab(ATTEMPT_KEY)) as { key?: unknown; fingerprint?: unknown };
  if (last.fingerprint === fingerprint && typeof last.key === "string") return last.key;
  const key = randomKey();
  writeTab(ATTEMPT_KEY, { key, fingerprint, mode });
  return key;
}

/** The next click makes a new order. */
export function dropAttempt(): void {
  dropTab(ATTEMPT_KEY);
}

/** 53 bits that tell two demands apart (cyrb53); nothing depends on them being hard to forge. */
function digest(text: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}
