import { afterEach, expect, it, vi } from "vitest";
import { props, sheet } from "@/testing/order-sheet";
import { renderStaff } from "@/testing/staff";
import { AddressDialog } from "./address-dialog";

afterEach(() => vi.unstubAllGlobals());

it("marks a country that is refused until another is chosen", async () => {
  const why = "Livrer à cette adresse changerait le prix.";
  const refusal = { code: "address_changes_terms", detail: why, errors: { country: [why] } };
  vi.stubGlobal("fetch", async (path: string) =>
    path === "/api/me" ? Response.json({ csrf_token: "x" }) : Response.json(refusal, { status: 409 }),
  );
  const countries = [...props.countries, { code: "CH", name: "Suisse" }];
  const shown = { ...props, countries };
  const { user, screen } = await renderStaff(
    <AddressDialog order={sheet} props={shown} onClose={() => {}} />,
  );
  const country = screen.getByLabelText<HTMLSelectElement>(/^Pays/);
  await user.selectOptions(country, "CH");
  await user.click(screen.getByRole("button", { name: "Voir l'e-mail" }));
  await screen.findByLabelText(/^Pays.*changerait le prix/);
  expect([document.activeElement === country, country.getAttribute("aria-invalid")]).toEqual([true, "true"]);
  await user.selectOptions(country, "FR");
  expect([screen.queryByLabelText(/changerait/), country.getAttribute("aria-invalid")]).toEqual([
    null,
    "false",
  ]);
});
