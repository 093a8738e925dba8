/** `/admin/atelier`: every piece at the workshop in the column of its stage; on a phone one column at a time. */
import { dropTargetForElements, monitorForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { BoardCard, BoardProps, PieceStage } from "@/api/types";
import { toast } from "@/lib/toast";
import { PiecePhotosDialog } from "@/staff/piece-photos/dialog";
import { Loading, Problem, toastProblem } from "@/staff/shared/problem";
import { staffIsland } from "@/staff/shared/staff-island";
import { translate } from "@/staff/shared/translate";
import { knownCard, readWhole, useBoard, useMoves } from "./calls";
import { Card } from "./card";
import { fits, STAGE_NAMES, STAGES } from "./stages";
import words from "./words.json";

const t = translate(words);

export function Board({ may_move: mayMove }: BoardProps) {
  const client = useQueryClient();
  const board = useBoard();
  const [open, setOpen] = useState<PieceStage>("to_print");
  const [photographed, setPhotographed] = useState<BoardCard>();
  const focusNext = useRef<number>(undefined);
  const refused = (error: unknown) => toastProblem(t("notMoved"), error);
  const moves = useMoves((moved, from) => {
    toast({
      kind: "success",
      title: t("moved", { piece: moved.name, stage: STAGE_NAMES[moved.stage] }),
      action: {
        label: t("undo"),
        run: () => {
          const card = knownCard(client, moved.id);
          if (!card || card.stage === from) return;
          // The button that was pressed is gone.
          focusNext.current = moved.id;
          moves.move(card, from);
        },
      },
    });
  }, refused);
  const move = (card: BoardCard, stage: PieceStage) => {
    if (card.stage === stage || moves.isMoving(card)) return;
    if (!fits(card, stage)) {
      toast({ kind: "error", title: t("notMoved"), text: t("unpainted") });
      return;
    }
    if (document.activeElement?.closest(`[data-card="${card.id}"]`)) focusNext.current = card.id;
    moves.move(card, stage);
  };
  useDrops((id, stage) => {
    const card = knownCard(client, id);
    if (card) move(card, stage);
  });
  // Whoever moves a card by its buttons goes on with it; on a phone it is in another column, and the first takes over.
  useLayoutEffect(() => {
    const id = focusNext.current;
    if (id === undefined) return;
    focusNext.current = undefined;
    const steps = document.querySelectorAll<HTMLElement>(`[data-card="${id}"] [data-step]`);
    const shown = [...steps].filter((button) => button.offsetParent !== null);
    (shown.at(-1) ?? document.querySelector<HTMLElement>(".board-segments [aria-pressed=true]"))?.focus();
  });

  if (board.isPending) return <Loading text={t("loading")} />;
  if (!board.data)
    return <Problem title={t("failed")} error={board.error} onRetry={() => void board.refetch()} />;
  const columns = byStage([...board.data.cards.values()], moves.stageOf);
  const count = (stage: PieceStage) => columns[stage].length + (board.data.more[stage] ?? 0);
  return (
    <>
      {board.isError && (
        <p className="alert alert--error" role="alert">
          {t("stale")}
        </p>
      )}
      <fieldset className="staff-segments board-segments no-print">
        <legend className="visually-hidden">{t("choose")}</legend>
        {STAGES.map((stage) => (
          <Drop key={stage} stage={stage}>
            <button type="button" aria-pressed={open === stage} onClick={() => setOpen(stage)}>
              {t("counted", { stage: STAGE_NAMES[stage], count: count(stage) })}
            </button>
          </Drop>
        ))}
      </fieldset>
      <div className="board">
        {STAGES.map((stage) => (
          <Drop key={stage} stage={stage}>
            <section
              className="board-column"
              data-open={open === stage || undefined}
              aria-label={STAGE_NAMES[stage]}
            >
              <h2>{t("counted", { stage: STAGE_NAMES[stage], count: count(stage) })}</h2>
              {stage === "to_pack" && mayMove && columns[stage].length > 0 && (
                <a href="/admin/expedition">{t("dispatch")}</a>
              )}
              {columns[stage].length === 0 && <p className="muted">{t("columnEmpty")}</p>}
              <ul>
                {columns[stage].map((card) => (
                  <Card
                    key={card.id}
                    card={card}
                    isMoving={moves.isMoving(card)}
                    mayMove={mayMove}
                    onMove={move}
                    onPhotos={setPhotographed}
                  />
                ))}
              </ul>
              {board.data.more[stage] !== undefined && (
                <p className="muted">{t("columnMore", { count: board.data.more[stage] })}</p>
              )}
            </section>
          </Drop>
        ))}
      </div>
      {photographed && (
        <PiecePhotosDialog
          piece={photographed}
          onClose={() => {
            setPhotographed(undefined);
            readWhole(client);
          }}
        />
      )}
    </>
  );
}

/** Takes cards that are dropped on it. */
function Drop({ stage, children }: { stage: PieceStage; children: ReactNode }) {
  const element = useRef<HTMLDivElement>(null);
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    if (!element.current || stage === "shipped") return undefined;
    return dropTargetForElements({
      element: element.current,
      getData: () => ({ stage }),
      onDragEnter: () => setIsOver(true),
      onDragLeave: () => setIsOver(false),
      onDrop: () => setIsOver(false),
    });
  }, [stage]);
  return (
    <div ref={element} className="board-drop" data-over={isOver || undefined}>
      {children}
    </div>
  );
}

function useDrops(onDrop: (card: number, stage: PieceStage) => void): void {
  const latest = useRef(onDrop);
  latest.current = onDrop;
  useEffect(
    () =>
      monitorForElements({
        onDrop: ({ source, location }) => {
          const target = location.current.dropTargets[0];
          if (target) latest.current(Number(source.data.card), target.data.stage as PieceStage);
        },
      }),
    [],
  );
}

function byStage(
  cards: BoardCard[],
  stageOf: (card: BoardCard) => PieceStage,
): Record<PieceStage, BoardCard[]> {
  const columns = Object.fromEntries(STAGES.map((stage) => [stage, [] as BoardCard[]])) as Record<
    PieceStage,
    BoardCard[]
  >;
  const sorted = cards.sort((a, b) => a.promised_by.localeCompare(b.promised_by) || a.id - b.id);
  for (const card of sorted) columns[stageOf(card)].push(card);
  return columns;
}

export const mount = staffIsland(Board);
