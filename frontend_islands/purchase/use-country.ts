import { useState } from "react";
import { COUNTRY_KEY, readSession, writeSession } from "./session";
import type { CountryChoice } from "./types";

/** The country of delivery, the same in cart and checkout; the shop's own until another is chosen. */
export function useCountry(countries: readonly CountryChoice[], home: string) {
  const [code, setCode] = useState(() => {
    const kept = readSession(COUNTRY_KEY);
    return countries.some((country) => country.code === kept) ? (kept as string) : home;
  });
  const choose = (next: string) => {
    writeSession(COUNTRY_KEY, next);
    setCode(next);
  };
  return { code, choose, choice: countries.find((country) => country.code === code) };
}
