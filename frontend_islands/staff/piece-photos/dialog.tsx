/** Photographs of a finished piece: taken with the phone, then sent to the customer after the mail was seen. */
import { useRef, useState } from "react";
import type { MailPreview, PiecePhoto } from "@/api/types";
import { Icon } from "@/lib/icon";
import { randomKey } from "@/lib/random-key";
import { toast } from "@/lib/toast";
import { MailViews } from "../order/mail-view";
import { ACCEPTED, UnusableFile } from "../pictures/shrink";
import { uploadProblem } from "../pictures/upload-problem";
import { formatMoment } from "../shared/dates";
import { Confirm, Dialog } from "../shared/dialog";
import { useLeaveWarning } from "../shared/drafts";
import { pieceLabel } from "../shared/piece-label";
import { Loading, Problem } from "../shared/problem";
import { translate } from "../shared/translate";
import { useMailPreview, usePhotos, useRemove, useSend, useUpload } from "./calls";
import words from "./words.json";

const t = translate(words);

interface Props {
  piece: { id: number; name: string; detail: string };
  onClose: () => void;
}

export function PiecePhotosDialog({ piece, onClose }: Props) {
  const photos = usePhotos(piece.id);
  const [share, setShare] = useState<number>();
  const [chosen, setChosen] = useState<number>();
  const [message, setMessage] = useState("");
  const [mails, setMails] = useState<MailPreview[]>();
  const [removing, setRemoving] = useState<PiecePhoto>();
  const upload = useUpload(piece.id, setShare);
  const preview = useMailPreview();
  const send = useSend(piece.id);
  const remove = useRemove(piece.id);
  const isBusy = upload.isPending || preview.isPending || send.isPending;
  useLeaveWarning(upload.isPending);

  const label = pieceLabel(piece.name, piece.detail);
  const all = photos.data?.photos ?? [];
  const unsent = all.filter((photo) => !photo.sent_at);
  const photo = unsent.find(({ id }) => id === chosen) ?? unsent.at(-1);

  function add(file: File | undefined) {
    if (!file) return;
    setShare(undefined);
    const { variables: before, isError } = upload;
    const key = isError && before && isSameFile(file, before.file) ? before.key : randomKey();
    upload.mutate({ file, key }, { onSuccess: ({ id }) => setChosen(id) });
  }

  function look() {
    if (!photo) return;
    // What was refused before would stand over the mail.
    send.reset();
    preview.mutate({ photo: photo.id, message }, { onSuccess: setMails });
  }

  function deliver() {
    // What was read: behind it another photo may have come since, or a word been added.
    if (!preview.variables) return;
    send.mutate(preview.variables, {
      onSuccess: () => {
        toast({
          kind: "success",
          title: t("sentDone"),
          text: t("sentText", { to: photos.data?.to ?? "" }),
        });
        onClose();
      },
      onError: () => setMails(undefined),
    });
  }

  const error = send.error ?? preview.error;
  return (
    <Dialog
      title={mails ? t("previewTitle") : t("title", { piece: label })}
      onClose={onClose}
      isBusy={isBusy}
      typed={message}
      actions={
        mails ? (
          <>
            <button className="button" type="button" disabled={isBusy} onClick={() => setMails(undefined)}>
              {t("back")}
            </button>
            <button
              className="button button--primary"
              type="button"
              disabled={isBusy}
              aria-busy={isBusy}
              onClick={deliver}
            >
              {t("confirm")}
            </button>
          </>
        ) : (
          photo && (
            <button
              className="button button--primary"
              type="button"
              disabled={isBusy}
              aria-busy={preview.isPending}
              onClick={look}
            >
              {t("preview")}
            </button>
          )
        )
      }
    >
      {error && <Problem title={t("sendFailed")} error={error} />}
      {mails ? (
        <MailViews mails={mails} />
      ) : (
        <>
          <Taker isBusy={upload.isPending} share={share} hasPhotos={all.length > 0} onFile={add} />
          {upload.error instanceof UnusableFile ? (
            <p className="alert alert--error" role="alert">
              {t("uploadFailed")} : {uploadProblem(upload.error)}
            </p>
          ) : (
            upload.error && (
              <Problem
                title={t("uploadFailed")}
                error={upload.error}
                onRetry={() => add(upload.variables?.file)}
              />
            )
          )}
          {remove.error && <Problem title={t("removeFailed")} error={remove.error} />}
          {photos.isPending && <Loading text={t("loading")} />}
          {photos.isError && (
            <Problem title={t("failed")} error={photos.error} onRetry={() => void photos.refetch()} />
          )}
          {photos.data && all.length === 0 && <p className="muted">{t("none")}</p>}
          <ul className="piece-photos">
            {[...all].reverse().map((each) => (
              <PhotoItem
                key={each.id}
                piece={label}
                photo={each}
                isChosen={each === photo}
                onChoose={() => setChosen(each.id)}
                onRemove={() => setRemoving(each)}
              />
            ))}
          </ul>
          {photo && (
            <label className="field">
              <span className="field__label">{t("message")}</span>
              <span className="field__hint muted">{t("messageHint")}</span>
              <textarea
                className="textarea"
                rows={2}
                maxLength={500}
                value={message}
                onChange={(event) => setMessage(event.target.value)}
              />
            </label>
          )}
        </>
      )}
      {removing && (
        <Confirm
          title={t("removeTitle")}
          text={t("removeQuestion")}
          action={t("remove")}
          isDangerous
          isBusy={remove.isPending}
          onClose={() => setRemoving(undefined)}
          onConfirm={() =>
            remove.mutate(removing.id, {
              onSuccess: () => toast({ kind: "success", title: t("removed") }),
              onSettled: () => setRemoving(undefined),
            })
          }
        />
      )}
    </Dialog>
  );
}

/** Chosen again after a lost answer: it may have arrived. */
const isSameFile = (one: File, other: File) =>
  one.name === other.name && one.size === other.size && one.lastModified === other.lastModified;

interface TakerProps {
  isBusy: boolean;
  share: number | undefined;
  hasPhotos: boolean;
  onFile: (file: File | undefined) => void;
}

function Taker({ isBusy, share, hasPhotos, onFile }: TakerProps) {
  const chooser = useRef<HTMLInputElement>(null);
  const percent = Math.round((share ?? 0) * 100);
  return (
    <>
      <input
        ref={chooser}
        className="visually-hidden"
        type="file"
        accept={ACCEPTED}
        tabIndex={-1}
        aria-label={t("take")}
        onChange={({ currentTarget }) => {
          onFile(currentTarget.files?.[0]);
          currentTarget.value = "";
        }}
      />
      <button
        className={hasPhotos ? "button" : "button button--primary"}
        type="button"
        data-autofocus
        aria-disabled={isBusy}
        onClick={() => !isBusy && chooser.current?.click()}
      >
        <Icon name="camera" />
        {t(hasPhotos ? "another" : "take")}
      </button>
      {isBusy && (
        <p role="status">
          {share === undefined ? t("shrinking") : t("sending", { percent })}
          <progress className="order-progress" max={100} value={percent} aria-label={t("take")} />
        </p>
      )}
    </>
  );
}

interface ItemProps {
  piece: string;
  photo: PiecePhoto;
  isChosen: boolean;
  onChoose: () => void;
  onRemove: () => void;
}

function PhotoItem({ piece, photo, isChosen, onChoose, onRemove }: ItemProps) {
  const when = formatMoment(photo.taken_at);
  const state = photo.author ? t("takenBy", { when, who: photo.author }) : t("taken", { when });
  return (
    <li data-chosen={isChosen || undefined}>
      <img
        src={photo.url}
        alt={t("alt", { piece, when })}
        width={photo.width}
        height={photo.height}
        loading="lazy"
      />
      <p className="muted">
        {photo.sent_at ? t("sent", { when: formatMoment(photo.sent_at) }) : state}
        {photo.message && ` · ${photo.message}`}
      </p>
      <p className="piece-photos__tools">
        {!photo.sent_at && !isChosen && (
          <button className="button button--small" type="button" onClick={onChoose}>
            {t("choose")}
          </button>
        )}
        <button className="button button--small button--quiet" type="button" onClick={onRemove}>
          <Icon name="trash" />
          {t("remove")}
        </button>
      </p>
    </li>
  );
}
