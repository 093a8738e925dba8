import { type ClipboardEvent, type DragEvent, useEffect, useRef, useState } from "react";
import { Icon } from "@/lib/icon";
import { randomKey } from "@/lib/random-key";
import { toast } from "@/lib/toast";
import { toastProblem } from "../shared/problem";
import { translate } from "../shared/translate";
import { ACCEPTED } from "./shrink";
import type { Upload, useUploads } from "./use-uploads";
import words from "./words.json";

const t = translate(words);
const STATES = {
  waiting: "state.waiting",
  shrinking: "state.shrinking",
  sending: "state.sending",
  failed: "state.failed",
} as const;

interface AddPhotosProps {
  uploads: Pick<ReturnType<typeof useUploads>, "uploads" | "add" | "retry" | "drop">;
  /** Stores a copy of what an address shows; one that is sent again has the same key. Raises `ApiProblem`. */
  onAddress: (address: string, key: string) => Promise<void>;
  /** What the button says. */
  label?: string;
  /** One file at a time. */
  isSingle?: boolean;
}

/** Photos come from the camera or the files of the machine, dropped, pasted, or by their address. */
export function AddPhotos({ uploads, onAddress, label = t("add"), isSingle = false }: AddPhotosProps) {
  const chooser = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [address, setAddress] = useState("");
  const [isFetching, setFetching] = useState(false);
  const sent = useRef({ address: "", key: "" });
  const { add } = uploads;
  const latest = useRef(add);
  latest.current = add;

  useEffect(() => {
    const paste = (event: Event) => {
      const { clipboardData, target } = event as unknown as ClipboardEvent;
      const files = pastedImages(clipboardData);
      if (!files.length || (target as Element).closest("input, textarea, dialog")) return;
      event.preventDefault();
      latest.current(files);
    };
    document.addEventListener("paste", paste);
    return () => document.removeEventListener("paste", paste);
  }, []);

  const carriesFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files");
  const fetchAddress = async () => {
    if (!address.trim()) {
      toast({ kind: "error", title: t("addressMissing"), text: t("addressMissingText") });
      return;
    }
    setFetching(true);
    if (sent.current.address !== address.trim()) sent.current = { address: address.trim(), key: randomKey() };
    try {
      await onAddress(address.trim(), sent.current.key);
      sent.current.address = "";
      setAddress((now) => (now === address ? "" : now));
    } catch (error) {
      toastProblem(t("uploadFailed"), error);
    } finally {
      setFetching(false);
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping files is a shortcut of the button inside
    <div
      className={isOver ? "photo-drop photo-drop--over" : "photo-drop"}
      onDragOver={(event) => {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        setOver(false);
        add(event.dataTransfer.files);
      }}
    >
      <input
        ref={chooser}
        className="visually-hidden"
        type="file"
        accept={ACCEPTED}
        multiple={!isSingle}
        tabIndex={-1}
        aria-label={label}
        onChange={({ currentTarget }) => {
          add(currentTarget.files ?? []);
          currentTarget.value = "";
        }}
      />
      <button className="button button--primary" type="button" onClick={() => chooser.current?.click()}>
        <Icon name="plus" /> {isOver ? t("dropHere") : label}
      </button>
      <p className="muted photo-drop__hint">{t("hint")}</p>
      <form
        className="photo-drop__address"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void fetchAddress();
        }}
      >
        <label className="field">
          <span className="field__label">{t("address")}</span>
          <input
            className="input"
            type="url"
            inputMode="url"
            autoComplete="off"
            placeholder="https://"
            value={address}
            onChange={({ currentTarget }) => setAddress(currentTarget.value)}
          />
        </label>
        <button className="button" type="submit" aria-busy={isFetching} disabled={isFetching}>
          {t("addAddress")}
        </button>
      </form>
      <Uploads {...uploads} />
    </div>
  );
}

/** The files that are on their way, and those that did not arrive. */
export function Uploads({
  uploads,
  retry,
  drop,
}: Pick<ReturnType<typeof useUploads>, "uploads" | "retry" | "drop">) {
  if (!uploads.length) return null;
  return (
    <ul className="uploads" aria-label={t("uploads")}>
      {uploads.map((upload) => (
        <UploadRow
          key={upload.key}
          upload={upload}
          onRetry={() => retry(upload)}
          onDrop={() => drop(upload)}
        />
      ))}
    </ul>
  );
}

function UploadRow({ upload, onRetry, onDrop }: { upload: Upload; onRetry: () => void; onDrop: () => void }) {
  const percent = Math.round(upload.share * 100);
  const isFailed = upload.state === "failed";
  return (
    <li className={isFailed ? "upload upload--failed" : "upload"}>
      <img src={upload.preview} alt="" width="48" height="48" />
      <div className="upload__text">
        <p className="upload__name">{upload.file.name}</p>
        <p role={isFailed ? "alert" : undefined}>
          {isFailed ? upload.message : t(STATES[upload.state], { percent })}
        </p>
        {!isFailed && <progress max={100} value={percent} aria-label={upload.file.name} />}
      </div>
      {isFailed && upload.canRetry && (
        <button className="button button--small" type="button" onClick={onRetry}>
          {t("retry")}
        </button>
      )}
      {isFailed && (
        <button
          className="photo__tool"
          type="button"
          aria-label={`${t("dismiss")} : ${upload.file.name}`}
          onClick={onDrop}
        >
          <Icon name="close" />
        </button>
      )}
    </li>
  );
}

/** The pictures that are pasted. Word and Excel add one of the words that were copied: these are meant, not their picture. */
export function pastedImages(data: DataTransfer): File[] {
  const isText = data.types.includes("text/html") && data.getData("text/plain").trim() !== "";
  return isText ? [] : [...data.files].filter(({ type }) => type.startsWith("image/"));
}
