import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { randomKey } from "@/lib/random-key";
import { useLeaveWarning } from "../shared/drafts";
import { sendFile } from "./send";
import { shrink, UnusableFile } from "./shrink";
import { uploadProblem } from "./upload-problem";

export interface Upload {
  /** Its own among all, also to the server. */
  key: string;
  file: File;
  /** Shown while it travels; made by the browser. */
  preview: string;
  state: "waiting" | "shrinking" | "sending" | "failed";
  /** How much has left, from 0 to 1. */
  share: number;
  message: ReactNode;
  /** Trying again can help. */
  canRetry: boolean;
}

/** Files on their way, one after the other: a phone has memory for one picture at a time. */
export function useUploads<Answer>(address: string, onStored: (answer: Answer) => void) {
  const [uploads, setUploads] = useState<Upload[]>([]);
  const working = useRef(false);
  const change = useCallback((key: string, fields: Partial<Upload>) => {
    setUploads((all) => all.map((each) => (each.key === key ? { ...each, ...fields } : each)));
  }, []);
  const drop = useCallback((upload: Upload) => {
    URL.revokeObjectURL(upload.preview);
    setUploads((all) => all.filter(({ key }) => key !== upload.key));
  }, []);

  const run = useCallback(
    async (upload: Upload) => {
      try {
        change(upload.key, { state: "shrinking", message: "" });
        const file = await shrink(upload.file);
        change(upload.key, { state: "sending", share: 0 });
        const tell = (share: number) => change(upload.key, { share });
        onStored(await sendFile<Answer>(address, file, tell, upload.key));
        drop(upload);
      } catch (error) {
        const isUnusable = error instanceof UnusableFile;
        change(upload.key, {
          state: "failed",
          message: uploadProblem(error),
          canRetry: !isUnusable,
        });
      }
    },
    [address, change, drop, onStored],
  );

  useEffect(() => {
    const next = uploads.find(({ state }) => state === "waiting");
    if (!next || working.current) return;
    working.current = true;
    void run(next).finally(() => {
      working.current = false;
      // The effect looks again for who waits.
      setUploads((all) => [...all]);
    });
  }, [uploads, run]);

  const isBusy = uploads.some(({ state }) => state !== "failed");
  useLeaveWarning(isBusy);

  return {
    uploads,
    isBusy,
    add: (files: Iterable<File>) => {
      const added = [...files].map((file): Upload => {
        const preview = URL.createObjectURL(file);
        return { key: randomKey(), file, preview, state: "waiting", share: 0, message: "", canRetry: false };
      });
      setUploads((all) => [...all, ...added]);
    },
    retry: (upload: Upload) => change(upload.key, { state: "waiting", message: "" }),
    drop,
  };
}
