/** Where the parcel goes, corrected until it leaves. */
import { useState } from "react";
import type { StaffOrderProps, StaffOrderSheet } from "@/api/types";
import type { ApiProblem } from "@/lib/api";
import { translate } from "@/staff/shared/translate";
import { orderPath } from "./calls";
import { Field, PreviewedStep } from "./previewed-step";
import words from "./words.json";

const t = translate(words);
const OTHER = "ZZ";

interface Props {
  order: StaffOrderSheet;
  props: StaffOrderProps;
  onClose: () => void;
}

export function AddressDialog({ order, props, onClose }: Props) {
  const { notes: _notes, ...known } = order.shipping_address;
  const [address, setAddress] = useState<Record<string, string>>({
    ...known,
    recipient: order.gift?.recipient ?? "",
  });
  const [errors, setErrors] = useState<Record<string, string[]>>({});
  const set = (name: string, value: string) => {
    setAddress({ ...address, [name]: value });
    setErrors(({ [name]: _gone, ...rest }) => rest);
  };
  const field = (name: string, label: string, complete: string) => (
    <Field label={label} errors={errors[name] ?? []}>
      <input
        className="input"
        value={address[name] ?? ""}
        autoComplete={complete}
        aria-invalid={name in errors}
        onChange={(event) => set(name, event.target.value)}
      />
    </Field>
  );

  return (
    <PreviewedStep
      order={order}
      title={t("addressTitle")}
      path={orderPath(order.id, "/address")}
      body={address}
      done={t("addressSaved")}
      failed={t("error")}
      onClose={onClose}
      onProblem={(problem: ApiProblem) => {
        setErrors(problem.errors);
        return false;
      }}
    >
      <p>{t("addressText")}</p>
      {order.gift ? (
        field("recipient", t("recipient"), "off")
      ) : (
        <div className="order-pair">
          {field("firstName", t("firstName"), "off")}
          {field("lastName", t("lastName"), "off")}
        </div>
      )}
      {field("address", t("street"), "off")}
      <div className="order-pair">
        {field("postalCode", t("postalCode"), "off")}
        {field("city", t("city"), "off")}
      </div>
      <Field label={t("country")} errors={errors.country ?? []}>
        <select
          className="select"
          value={address.country}
          aria-invalid={"country" in errors}
          onChange={(event) => set("country", event.target.value)}
        >
          {props.countries.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      {address.country === OTHER && field("customCountry", t("customCountry"), "off")}
      {field("phone", t("phone"), "off")}
    </PreviewedStep>
  );
}
