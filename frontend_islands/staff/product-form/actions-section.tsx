import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { AdminProduct, StaffProductFormProps } from "@/api/types";
import { goTo } from "@/lib/navigate";
import { toast } from "@/lib/toast";
import { useCreation } from "../shared/creation";
import { Confirm } from "../shared/dialog";
import { toastProblem } from "../shared/problem";
import { translate } from "../shared/translate";
import { PRODUCTS, removeProduct, runAction } from "./calls";
import { Section } from "./fields";
import words from "./words.json";

const t = translate(words);

interface ActionsProps {
  product: AdminProduct;
  rights: StaffProductFormProps["rights"];
  trashDays: number;
  /** What was typed is kept: these wait until it is saved. */
  hasChanges: boolean;
  onChanged: (product: AdminProduct) => void;
}

/** Copy, archive, trash, and the ways back. */
export function ActionsSection({ product, rights, trashDays, hasChanges, onChanged }: ActionsProps) {
  const [isAsking, setIsAsking] = useState(false);
  const [withPhotos, setWithPhotos] = useState(false);
  const creation = useCreation();
  const fail = (error: unknown) => toastProblem(t("actionFailed"), error);
  const run = useMutation({
    mutationFn: (action: "archive" | "unarchive" | "restore") => runAction(product.id, action),
    onSuccess: (fresh, action) => {
      // A page drawn of the trash lacks photos and variants.
      if (action === "restore") return goTo(`/admin/produits/${product.id}?restaure=1`);
      toast({ kind: "success", title: action === "archive" ? t("archived") : t("unarchived") });
      onChanged(fresh);
    },
    onError: fail,
  });
  const copy = useMutation({
    mutationFn: () =>
      creation.post<AdminProduct>(`${PRODUCTS}/${product.id}/duplicate`, { with_photos: withPhotos }),
    onSuccess: ({ id }) => goTo(`/admin/produits/${id}`),
    onError: fail,
  });
  const remove = useMutation({
    mutationFn: () => removeProduct(product.id),
    onSuccess: () => {
      setIsAsking(false);
      toast({
        kind: "success",
        title: t("removed"),
        action: { label: t("restore"), run: () => run.mutate("restore") },
      });
      onChanged({ ...product, trashed_at: new Date().toISOString(), is_published: false });
    },
    onError: (error) => {
      setIsAsking(false);
      fail(error);
    },
  });
  // The copy's page takes over: until then a second press would make a second copy.
  const isBusy = run.isPending || copy.isPending || copy.isSuccess || hasChanges;
  if (product.trashed_at) {
    return rights.remove ? (
      <p>
        <button
          className="button button--primary"
          type="button"
          disabled={run.isPending || run.isSuccess}
          onClick={() => run.mutate("restore")}
        >
          {t("restore")}
        </button>
      </p>
    ) : null;
  }
  return (
    <Section title={t("sections.actions")}>
      {hasChanges && <p>{t("saveFirst")}</p>}
      <div className="product-form__grid">
        {rights.edit && rights.prices && (
          <div className="field">
            <p className="field__hint muted">{t("duplicateHint")}</p>
            {product.images.length > 0 && (
              <label className="check">
                <input
                  type="checkbox"
                  checked={withPhotos}
                  onChange={({ target }) => setWithPhotos(target.checked)}
                />
                <span>{t("duplicatePhotos")}</span>
              </label>
            )}
            <button className="button" type="button" disabled={isBusy} onClick={() => copy.mutate()}>
              {t("duplicate")}
            </button>
          </div>
        )}
        {rights.edit && (
          <div className="field">
            {!product.archived_at && <p className="field__hint muted">{t("archiveHint")}</p>}
            <button
              className="button"
              type="button"
              disabled={isBusy}
              onClick={() => run.mutate(product.archived_at ? "unarchive" : "archive")}
            >
              {product.archived_at ? t("unarchive") : t("archive")}
            </button>
          </div>
        )}
        {rights.remove && (
          <button
            className="button button--danger"
            type="button"
            disabled={isBusy}
            onClick={() => setIsAsking(true)}
          >
            {t("remove")}
          </button>
        )}
      </div>
      {isAsking && (
        <Confirm
          title={t("removeTitle")}
          text={t("removeText", { days: trashDays })}
          action={t("remove")}
          isDangerous
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setIsAsking(false)}
        />
      )}
    </Section>
  );
}
