import { useState } from "react";
import type { ArticlePicture } from "@/api/types";
import { toast } from "@/lib/toast";
import { sendFile } from "../pictures/send";
import { shrink } from "../pictures/shrink";
import { UPLOAD_FAILED, UPLOADED, uploadProblem } from "../pictures/upload-problem";
import { useLeaveWarning } from "../shared/drafts";
import { PICTURES } from "./calls";

/** Pictures for the text, sent one after the other; each stored one waits until it is put in. */
export function usePictures() {
  const [state, setState] = useState<{ percent: number }>();
  const [stored, setStored] = useState<ArticlePicture[]>([]);
  useLeaveWarning(state !== undefined);
  return {
    state,
    stored: stored[0],
    next: () => setStored((all) => all.slice(1)),
    add: (files: Iterable<File>) => void send([...files]),
  };

  async function send(files: File[]) {
    for (const file of files) {
      setState({ percent: 0 });
      try {
        const picture = await sendFile<ArticlePicture>(PICTURES, await shrink(file), (share) =>
          setState({ percent: Math.round(share * 100) }),
        );
        setStored((all) => [...all, picture]);
        toast({ kind: "success", title: UPLOADED });
      } catch (error) {
        toast({ kind: "error", title: UPLOAD_FAILED, text: `${file.name} : ${uploadProblem(error)}` });
      }
    }
    setState(undefined);
  }
}
