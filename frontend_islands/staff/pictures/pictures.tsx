import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import type { StaffGallery, StaffPhoto, StaffPicturesProps } from "@/api/types";
import { ApiProblem } from "@/lib/api";
import { emit, listen } from "@/lib/events";
import { toast } from "@/lib/toast";
import { Confirm } from "../shared/dialog";
import { useLeaveWarning } from "../shared/drafts";
import { useKeptFocus } from "../shared/kept-focus";
import { Loading, Problem, toastProblem } from "../shared/problem";
import { translate } from "../shared/translate";
import { AddPhotos } from "./add-photos";
import { addByAddress, arrange, fetchGallery, uploadAddress } from "./calls";
import { PhotoDialog } from "./photo-dialog";
import { PhotoRow } from "./photo-row";
import { useArrangement } from "./use-arrangement";
import { useUploads } from "./use-uploads";
import words from "./words.json";

const t = translate(words);

/** The photos of a product: added at once, moved and removed on screen until the order is saved. */
export function Pictures({ product_id: product, can_edit: canEdit }: StaffPicturesProps) {
  const key = ["pictures", product];
  const client = useQueryClient();
  const gallery = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => fetchGallery(product, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  useEffect(() =>
    listen("product:changed", ({ productId, by }) => {
      if (productId !== product || by === "photos") return;
      // The choices of a photo alone: a photo that is being added would be missing from what is read meanwhile.
      void fetchGallery(product).then(
        ({ formats, offers_finishes }) =>
          client.setQueryData<StaffGallery>(
            key,
            (stored) => stored && { ...stored, formats, offers_finishes },
          ),
        () => {},
      );
    }),
  );
  if (gallery.isError) {
    return <Problem title={t("loadFailed")} error={gallery.error} onRetry={() => void gallery.refetch()} />;
  }
  if (!gallery.data) return <Loading text={t("loading")} />;
  return (
    <Gallery
      product={product}
      canEdit={canEdit}
      gallery={gallery.data}
      onChange={(change) => {
        client.setQueryData<StaffGallery>(key, (stored) => stored && change(stored));
        // The grid of variants shows photos too.
        emit("product:changed", { productId: product, by: "photos" });
      }}
    />
  );
}

interface GalleryProps {
  product: number;
  canEdit: boolean;
  gallery: StaffGallery;
  onChange: (change: (stored: StaffGallery) => StaffGallery) => void;
}

function Gallery({ product, canEdit, gallery, onChange }: GalleryProps) {
  const order = useArrangement(gallery.images);
  const [edited, setEdited] = useState<number>();
  const [isAsking, setAsking] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const [announced, setAnnounced] = useState("");
  const { noteAdded } = order;
  const onStored = useCallback(
    (photo: StaffPhoto) => {
      noteAdded(photo.id);
      onChange((stored) => ({
        ...stored,
        images: [...stored.images.filter(({ id }) => id !== photo.id), photo],
      }));
      toast({ kind: "success", title: t("uploaded") });
    },
    [noteAdded, onChange],
  );
  const uploads = useUploads(uploadAddress(product), onStored);
  useLeaveWarning(order.isChanged);

  const photos = new Map(gallery.images.map((photo) => [photo.id, photo]));
  const shown = order.ids.flatMap((id) => photos.get(id) ?? []);
  const gone = order.removed.flatMap((id) => photos.get(id) ?? []);
  const move = (id: number, to: number) => {
    order.move(id, to);
    const number = Math.max(0, Math.min(order.ids.length - 1, to)) + 1;
    setAnnounced(t("moved", { number, total: order.ids.length }));
  };

  const write = async (ids: number[], removedIds: number[], said: string) => {
    const seen = gallery.images.map(({ id }) => id);
    /** The answer may be older than a photo that was added since. */
    const show = (stored: StaffGallery) => {
      const known = [...seen, ...stored.images.map(({ id }) => id)];
      onChange(({ images }) => ({
        ...stored,
        images: [...stored.images, ...images.filter(({ id }) => !known.includes(id))],
      }));
    };
    setSaving(true);
    try {
      show(await arrange(product, { ids, removed_ids: removedIds, seen_ids: seen }));
      order.settle();
      toast({ kind: "success", title: said });
    } catch (error) {
      if (error instanceof ApiProblem && error.code === "conflict") {
        show(error.body.current as StaffGallery);
      }
      const title = ids[0] === seen[0] ? t("saveFailed") : t("mainFailed");
      toastProblem(title, error);
    } finally {
      setSaving(false);
      setAsking(false);
    }
  };
  const revert = () => {
    if (order.added.length) setAsking(true);
    else order.forget();
  };
  const revertAdded = () => {
    const before = gallery.images.map(({ id }) => id).filter((id) => !order.added.includes(id));
    void write(before, order.added, t("reverted"));
  };

  const area = useRef<HTMLDivElement>(null);
  const keptFocus = useKeptFocus(area);
  const opened = edited === undefined ? undefined : photos.get(edited);
  return (
    <div className="pictures" ref={area} {...keptFocus}>
      {canEdit && (
        <AddPhotos
          uploads={uploads}
          onAddress={async (address, key) => onStored(await addByAddress(product, address, key))}
        />
      )}
      {shown.length === 0 && gone.length === 0 && <p className="staff-empty">{t("empty")}</p>}
      <ul className="pictures__list" aria-label={t("list")}>
        {shown.map((photo, index) => (
          <PhotoRow
            key={photo.id}
            photo={photo}
            index={index}
            total={shown.length}
            formats={gallery.formats}
            canEdit={canEdit}
            onMove={(to) => move(photo.id, to)}
            onPlace={move}
            onEdit={() => setEdited(photo.id)}
            onRemove={() => order.remove(photo.id)}
          />
        ))}
      </ul>
      <p className="visually-hidden" role="status">
        {announced}
      </p>
      {gone.length > 0 && (
        <div className="pictures__removed">
          <h3>{t("removed")}</h3>
          <ul>
            {gone.map((photo) => (
              <li key={photo.id}>
                <img className="pictures__gone" src={photo.thumbnail_url} alt={photo.alt} />
                <button
                  className="button button--small"
                  type="button"
                  onClick={() => order.restore(photo.id)}
                >
                  {t("restore")}
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
      {(order.isChanged || order.added.length > 0) && (
        <div className="staff-save">
          <p role="status">{order.isChanged ? t("unsaved") : t("added", { count: order.added.length })}</p>
          <button className="button button--small" type="button" onClick={revert} disabled={isSaving}>
            {t("revert")}
          </button>
          <button
            className="button button--primary button--small"
            type="button"
            aria-busy={isSaving}
            disabled={isSaving}
            onClick={() => void write(order.ids, order.removed, t("saved"))}
          >
            {t("save")}
          </button>
        </div>
      )}
      {isAsking && (
        <Confirm
          title={t("revert")}
          text={t("revertAdded", { count: order.added.length })}
          action={t("revert")}
          isBusy={isSaving}
          isDangerous
          onConfirm={revertAdded}
          onClose={() => setAsking(false)}
        />
      )}
      {opened && (
        <PhotoDialog
          product={product}
          photo={opened}
          number={order.ids.indexOf(opened.id) + 1}
          formats={gallery.formats}
          offersFinishes={gallery.offers_finishes}
          onChange={(photo) =>
            onChange((stored) => ({
              ...stored,
              images: stored.images.map((each) => (each.id === photo.id ? photo : each)),
            }))
          }
          onClose={() => setEdited(undefined)}
        />
      )}
    </div>
  );
}
