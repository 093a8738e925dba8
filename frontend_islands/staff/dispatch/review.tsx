/** What will be sent to whom, before anything is. */
import type { DispatchResult } from "@/api/types";
import { Dialog } from "@/staff/shared/dialog";
import { translate } from "@/staff/shared/translate";
import words from "./words.json";

const t = translate(words);

interface Props {
  results: DispatchResult[];
  referenceOf: (id: string) => string;
  isBusy: boolean;
  onBack: () => void;
  onShip: () => void;
}

export function Review({ results, referenceOf, isBusy, onBack, onShip }: Props) {
  const count = results.filter(({ outcome }) => outcome === "shipped").length;
  return (
    <Dialog
      title={t("reviewTitle")}
      onClose={onBack}
      isBusy={isBusy}
      actions={
        <>
          <button className="button" type="button" onClick={onBack} disabled={isBusy}>
            {t("back")}
          </button>
          <button
            className="button button--primary"
            type="button"
            onClick={onShip}
            aria-busy={isBusy}
            disabled={isBusy || count === 0}
          >
            {t("ship", { count })}
          </button>
        </>
      }
    >
      {results.map((result) => (
        <Line key={result.id} result={result} reference={referenceOf(result.id)} />
      ))}
    </Dialog>
  );
}

function Line({ result, reference }: { result: DispatchResult; reference: string }) {
  if (result.outcome === "refused")
    return <p className="alert alert--error">{t("refused", { reference, reason: result.detail })}</p>;
  return (
    <>
      {result.same_number.length > 0 && (
        <p className="alert alert--warning">
          {t("sameNumber", { reference, others: result.same_number.join(", ") })}
        </p>
      )}
      {result.mails.length === 0 && <p>{t("noMail", { reference })}</p>}
      {result.mails.map((mail) => (
        <details key={mail.subject}>
          <summary>{t("mail", { reference, to: mail.to, subject: mail.subject })}</summary>
          <p className="dispatch-mail" lang={mail.language}>
            {mail.text}
          </p>
        </details>
      ))}
    </>
  );
}
