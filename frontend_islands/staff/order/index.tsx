/** `/admin/commandes/<id>`: one order, and every step that may be taken with it. */
import { useMutation } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";
import type { SheetPiece, SheetShipment, StaffOrderProps, StaffOrderSheet } from "@/api/types";
import { ApiProblem, deleteJson, postJson } from "@/lib/api";
import { Icon } from "@/lib/icon";
import { formatMoney } from "@/lib/money";
import { goTo } from "@/lib/navigate";
import { toast } from "@/lib/toast";
import { PiecePhotosDialog } from "@/staff/piece-photos/dialog";
import { formatDay, formatMoment } from "@/staff/shared/dates";
import { Confirm } from "@/staff/shared/dialog";
import { useKeptFocus } from "@/staff/shared/kept-focus";
import { OrderFlags } from "@/staff/shared/order-flags";
import { Loading, Problem, toastProblem } from "@/staff/shared/problem";
import { staffIsland } from "@/staff/shared/staff-island";
import { translate } from "@/staff/shared/translate";
import { leftList } from "@/staff/shared/way-back";
import { AddressDialog } from "./address-dialog";
import { orderPath, useOrder, useRefresh } from "./calls";
import { History } from "./history";
import { Notes } from "./notes";
import { NumberDialog, ParcelDialog, UndoParcelDialog } from "./parcel-dialog";
import { RefundDialog } from "./refund-dialog";
import { Documents, Money, Parcels, People, Pieces } from "./sections";
import { StatusDialog } from "./status-dialog";
import words from "./words.json";
import { Workshop } from "./workshop";

const t = translate(words);

type OfParcel = { step: "undo" | "number"; shipment: SheetShipment };
type Open = "ship" | "status" | "address" | "refund" | "delete" | OfParcel | undefined;

export function OrderScreen(props: StaffOrderProps) {
  const order = useOrder(props.order_id, !props.is_archived);
  if (props.is_archived) return <Archived props={props} />;
  if (order.data) return <Order order={order.data} props={props} />;
  if (order.isError)
    return <Problem title={t("failed")} error={order.error} onRetry={() => void order.refetch()} />;
  return <Loading text={t("loading")} />;
}

function Order({ order, props }: { order: StaffOrderSheet; props: StaffOrderProps }) {
  const [open, setOpen] = useState<Open>();
  const [photographed, setPhotographed] = useState<SheetPiece>();
  const refresh = useRefresh(order.id);
  const [begun, setBegun] = useState<string>();
  const parts = useRef<HTMLDivElement>(null);
  const keptFocus = useKeptFocus(parts);
  const close = useCallback(() => {
    setOpen(undefined);
    setBegun(undefined);
  }, []);
  return (
    <>
      <Summary order={order} />
      <div className="order-actions">
        {order.may.ship && (
          <button className="button button--primary" type="button" onClick={() => setOpen("ship")}>
            <Icon name="truck" />
            {t("ship")}
          </button>
        )}
        {order.may.note && (
          <button className="button" type="button" onClick={() => setOpen("status")}>
            {t("changeStatus")}
          </button>
        )}
        {order.may.remove && order.removal_obstacles.length === 0 && (
          <button className="button button--quiet" type="button" onClick={() => setOpen("delete")}>
            <Icon name="trash" />
            {t("delete")}
          </button>
        )}
        {order.removal_obstacles.length > 0 && (
          <p className="muted">{t("deleteLater", { reasons: order.removal_obstacles.join("\u00a0; ") })}</p>
        )}
      </div>
      <div className="staff-columns order-sheet__columns" ref={parts} {...keptFocus}>
        <div>
          <Pieces order={order} />
          <Workshop order={order} onPhotos={setPhotographed} />
          <Parcels
            order={order}
            onUndo={(shipment) => setOpen({ step: "undo", shipment })}
            onNumber={(shipment) => setOpen({ step: "number", shipment })}
          />
          <Money order={order} onRefund={() => setOpen("refund")} />
          <Notes order={order} />
        </div>
        <div>
          <People order={order} props={props} onCorrect={() => setOpen("address")} />
          <Documents order={order} props={props} />
          <History order={order} />
        </div>
      </div>
      {open === "ship" && <ParcelDialog order={order} props={props} begun={begun} onClose={close} />}
      {open === "status" && (
        <StatusDialog
          order={order}
          onShip={(message) => {
            setBegun(message);
            setOpen("ship");
          }}
          onClose={close}
        />
      )}
      {open === "address" && <AddressDialog order={order} props={props} onClose={close} />}
      {open === "refund" && <RefundDialog order={order} onClose={close} />}
      {open === "delete" && <DeleteDialog order={order} listUrl={props.list_url} onClose={close} />}
      {photographed && (
        <PiecePhotosDialog
          piece={photographed}
          onClose={() => {
            setPhotographed(undefined);
            void refresh();
          }}
        />
      )}
      {typeof open === "object" && open.step === "undo" && (
        <UndoParcelDialog order={order} shipment={open.shipment} onClose={close} />
      )}
      {typeof open === "object" && open.step === "number" && (
        <NumberDialog order={order} props={props} shipment={open.shipment} onClose={close} />
      )}
    </>
  );
}

function Summary({ order }: { order: StaffOrderSheet }) {
  const isInstallments = order.payment_mode === "installments";
  const mode = t(isInstallments ? "installments" : "full");
  const facts: [string, string][] = [
    [t("total"), `${formatMoney(order.total_amount)}, ${order.paid_at ? mode : t("notPaid")}`],
    [t("placed"), formatMoment(order.created_at)],
  ];
  if (order.paid_at) facts.push([t(isInstallments ? "firstPaid" : "paid"), formatMoment(order.paid_at)]);
  const isAwaited = order.lines.some((line) => line.to_send > 0);
  if (isAwaited && !order.shipped_at && !order.delivered_at) {
    const [day, until] = [formatDay(order.promised_by), order.excused_until];
    facts.push([t("promised"), until ? t("excused", { day, until: formatDay(until) }) : day]);
  }
  if (order.shipped_at) facts.push([t("shipped"), formatMoment(order.shipped_at)]);
  if (order.delivered_at) facts.push([t("delivered"), formatMoment(order.delivered_at)]);
  if (order.withdrawal_until) facts.push([t("withdrawal"), formatDay(order.withdrawal_until)]);
  return (
    <section className="staff-sheet order-sheet__head">
      <p className="order-row__head">
        <span className={`status status--${order.status}`}>{order.status_label}</span>
        <OrderFlags flags={order.flags} />
      </p>
      {order.review_reason && <p className="order-error">{t("review", { reason: order.review_reason })}</p>}
      <dl className="order-facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

interface DeleteProps {
  order: StaffOrderSheet;
  listUrl: string;
  onClose: () => void;
}

function DeleteDialog({ order, listUrl, onClose }: DeleteProps) {
  const remove = useMutation({
    mutationFn: () => deleteJson(orderPath(order.id)),
    onSuccess: () => {
      toast({ kind: "success", title: t("deleted") });
      goTo(leftList(listUrl));
    },
    onError: (error) => {
      const reason = (error instanceof ApiProblem && error.detail) || t("unknownError");
      toastProblem(t("error"), error, t("deleteFailed", { reason }));
      onClose();
    },
  });
  return (
    <Confirm
      title={t("deleteTitle")}
      text={
        <>
          <p>{t("deleteQuestion")}</p>
          {order.paid_at && <p className="muted">{t("deleteArchive")}</p>}
        </>
      }
      action={t("delete")}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
      isBusy={remove.isPending || remove.isSuccess}
      isDangerous
    />
  );
}

function Archived({ props }: { props: StaffOrderProps }) {
  const restore = useMutation({
    mutationFn: () => postJson(orderPath(props.order_id, "/restore"), {}),
    onSuccess: () => {
      toast({ kind: "success", title: t("restored") });
      goTo(location.pathname);
    },
  });
  return (
    <section className="staff-sheet">
      <p>{t("archived")}</p>
      {restore.isError && <Problem title={t("error")} error={restore.error} />}
      {props.may_restore && (
        <button
          className="button button--primary"
          type="button"
          onClick={() => restore.mutate()}
          disabled={restore.isPending || restore.isSuccess}
        >
          {t("restore")}
        </button>
      )}
      <ul className="order-documents">
        {props.links.map((link) => (
          <li key={link.url}>
            <a href={link.url}>{link.text}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

export const mount = staffIsland(OrderScreen);
