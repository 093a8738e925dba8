import { useCallback, useEffect, useRef, useState } from "react";
import type { CountryChoice, Quote } from "@/api/types";
import { type ApiProblem, postJson } from "@/lib/api";
import type { CartLine } from "@/lib/cart";
import { readCart, storeCart } from "@/lib/cart-storage";
import { asProblem, findQuote, inTime, readQuote } from "./calls";
import { type AddressPart, quoteQuestion, seeEarly, takeEarly } from "./early";
import { COUNTRY_KEY, readTab, writeTab } from "./tab-memory";

/** Long enough for several clicks on a stepper to be one question. */
const PAUSE_MS = 250;

export interface Quoting {
  /** One text for the present lines and destination. */
  question: string;
  /** The last quote the server gave, perhaps of the cart as it was a moment ago. */
  quote: Quote | null;
  /** Whether `quote` is of these lines and this country. */
  isCurrent: boolean;
  /**
   * Whether it is also of the address as it is typed now. An order doesn't wait for that: the server refuses a total that
   * the address has changed.
   */
  isOfAddress: boolean;
  /** Why there is no current quote, once that is known. */
  problem: ApiProblem | null;
  retry: () => void;
  /** Takes a quote that came with another answer as the current one. */
  adopt: (quote: Quote) => void;
}

/** Keeps the server's price of the cart: asked again after every change, the last question's answer counts. */
export function useQuote(lines: readonly CartLine[], country: string, typed: AddressPart): Quoting {
  const question = quoteQuestion(lines, country, typed);
  const demand = quoteQuestion(lines, country);
  const [answer, setAnswer] = useState<{ question: string; demand: string; quote: Quote } | null>(() => {
    const quote = findQuote(seeEarly(question));
    return quote && { question, demand, quote };
  });
  const [failure, setFailure] = useState<{ question: string; problem: ApiProblem } | null>(null);
  const [attempt, setAttempt] = useState(0);
  const hasAsked = useRef(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt asks the same question again
  useEffect(() => {
    if (lines.length === 0) {
      setAnswer(null);
      return;
    }
    if (!hasAsked.current && answer?.question === question) {
      // Drawn from the start. The next question is another one.
      hasAsked.current = true;
      takeEarly(question);
      return;
    }
    const controller = new AbortController();
    const { signal } = controller;
    const ask = async () => {
      hasAsked.current = true;
      try {
        const body = JSON.parse(question) as unknown;
        const sent = takeEarly(question);
        const found = readQuote(
          await inTime(
            (inner) => postJson("/api/cart/quote", body, { signal: inner, isAnonymous: true, sent }),
            signal,
          ),
        );
        if (signal.aborted) return;
        setAnswer({ question, demand, quote: found });
        setFailure(null);
      } catch (error) {
        if (!signal.aborted) setFailure({ question, problem: asProblem(error) });
      }
    };
    const timer = setTimeout(ask, hasAsked.current ? PAUSE_MS : 0);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [question, attempt]);

  useEffect(() => {
    const named = answer?.quote.lines.filter(({ name }) => name) ?? [];
    if (named.length)
      storeCart(readCart(), Object.fromEntries(named.map((line) => [line.product_id, line.name])));
  }, [answer]);

  const retry = useCallback(() => {
    setFailure(null);
    setAttempt((count) => count + 1);
  }, []);
  const adopt = useCallback(
    (quote: Quote) => {
      setAnswer({ question, demand, quote });
      setFailure(null);
    },
    [question, demand],
  );
  const problem = failure?.question === question ? failure.problem : null;
  const isOffline = problem?.code === "network";
  useEffect(() => {
    if (!isOffline) return;
    addEventListener("online", retry);
    return () => removeEventListener("online", retry);
  }, [isOffline, retry]);

  return {
    question,
    quote: answer?.quote ?? null,
    isCurrent: answer?.demand === demand && !problem,
    isOfAddress: answer?.question === question,
    problem,
    retry,
    adopt,
  };
}

/** The country of delivery, the same in cart and checkout; the shop's own until another is chosen. */
export function useCountry(countries: readonly CountryChoice[], home: string) {
  const read = () => {
    const stored = readTab(COUNTRY_KEY);
    return countries.some((country) => country.code === stored) ? (stored as string) : home;
  };
  const [code, setCode] = useState(read);
  useOnReturn(() => setCode(read()));
  const choose = (next: string) => {
    writeTab(COUNTRY_KEY, next);
    setCode(next);
  };
  return { code, choose, choice: countries.find((country) => country.code === code) };
}

/** Runs when the browser shows the page again as it was left: another page may have changed what both share. */
export function useOnReturn(run: () => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const back = ({ persisted }: PageTransitionEvent) => persisted && latest.current();
    addEventListener("pageshow", back);
    return () => removeEventListener("pageshow", back);
  }, []);
}
