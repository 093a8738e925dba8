import { combine } from "@atlaskit/pragmatic-drag-and-drop/combine";
import { draggable, dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { StaffGallery, StaffPhoto } from "@/api/types";
import { Icon } from "@/lib/icon";
import { dragByTouch } from "../shared/touch-drag";
import { translate } from "../shared/translate";
import words from "./words.json";

const t = translate(words);
const KIND = "photo";

interface PhotoRowProps {
  photo: StaffPhoto;
  index: number;
  total: number;
  formats: StaffGallery["formats"];
  canEdit: boolean;
  onMove: (to: number) => void;
  /** A photo was dropped here. */
  onPlace: (id: number, to: number) => void;
  onEdit: () => void;
  onRemove: () => void;
}

/** One photo: dragged by the mouse or a finger, moved by its buttons or by the arrow keys on them. */
export function PhotoRow({ photo, index, total, formats, canEdit, ...on }: PhotoRowProps) {
  const row = useRef<HTMLLIElement>(null);
  const picture = useRef<HTMLDivElement>(null);
  const [isOver, setOver] = useState(false);
  const [isFailed, setFailed] = useState(false);
  const latest = useRef(on);
  latest.current = on;
  useEffect(() => {
    const [element, handle] = [row.current, picture.current];
    if (!element || !handle || !canEdit) return undefined;
    return combine(
      draggable({ element, dragHandle: handle, getInitialData: () => ({ kind: KIND, id: photo.id }) }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => source.data.kind === KIND && source.data.id !== photo.id,
        onDragEnter: () => setOver(true),
        onDragLeave: () => setOver(false),
        onDrop: ({ source }) => {
          setOver(false);
          latest.current.onPlace(source.data.id as number, index);
        },
      }),
      dragByTouch({
        row: element,
        handle,
        over: "photo--over",
        onDrop: (to) => latest.current.onPlace(photo.id, to),
      }),
    );
  }, [photo.id, index, canEdit]);

  const onKeyDown = (event: KeyboardEvent) => {
    const to = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: total - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    on.onMove(to);
  };
  const number = index + 1;
  const name = t("photo", { number });
  const format = formats.find(({ id }) => id === photo.variation_id);
  const finish = photo.finish as string;
  const shows = [format?.name, finish && t(finish === "painted" ? "dialog.painted" : "dialog.unpainted")];
  const label = (what: string) => `${what} : ${name}`;
  return (
    <li ref={row} className={isOver ? "photo photo--over" : "photo"}>
      <div ref={picture} className="photo__picture">
        {isFailed ? (
          <span className="photo__none">{t("previewFailed")}</span>
        ) : (
          <img
            className={photo.focus_class}
            src={photo.thumbnail_url}
            alt={photo.alt || name}
            draggable={false}
            onError={() => setFailed(true)}
            onLoad={() => setFailed(false)}
          />
        )}
      </div>
      <div className="photo__text">
        {index === 0 && <p className="badge photo__main">{t("main")}</p>}
        <p className="photo__alt">{photo.alt || <span className="muted">{t("noAlt")}</span>}</p>
        <p className="muted">
          {shows.filter(Boolean).join(" · ") || t("all")}
          {photo.crop && `, ${t("cropped")}`}
        </p>
      </div>
      {canEdit && (
        // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys work on every button inside
        <div className="photo__tools" onKeyDown={onKeyDown}>
          <button
            className="photo__tool"
            type="button"
            aria-label={label(t("up"))}
            title={t("up")}
            aria-disabled={index === 0}
            onClick={() => on.onMove(index - 1)}
          >
            <Icon name="chevron-up" />
          </button>
          <button
            className="photo__tool"
            type="button"
            aria-label={label(t("down"))}
            title={t("down")}
            aria-disabled={number === total}
            onClick={() => on.onMove(index + 1)}
          >
            <Icon name="chevron-down" />
          </button>
          <button
            className="photo__tool"
            type="button"
            aria-label={label(t("makeMain"))}
            title={t("makeMain")}
            aria-pressed={index === 0}
            onClick={() => on.onMove(0)}
          >
            <Icon name="star" />
          </button>
          <button
            className="photo__tool"
            type="button"
            aria-label={label(t("edit"))}
            title={t("edit")}
            onClick={on.onEdit}
          >
            <Icon name="pencil" />
          </button>
          <button
            className="photo__tool"
            type="button"
            aria-label={label(t("remove"))}
            title={t("remove")}
            onClick={on.onRemove}
          >
            <Icon name="trash" />
          </button>
        </div>
      )}
    </li>
  );
}
