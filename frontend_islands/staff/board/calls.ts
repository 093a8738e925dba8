/** The board as the server has it, read again every few seconds, and moves that show before they are confirmed. */
import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { BoardAnswer, BoardCard, PieceStage } from "@/api/types";
import { ApiProblem, getJson, postJson } from "@/lib/api";

const KEY = ["board"];
const EVERY_MS = 2_000;
/** Promised days and notes change without their pieces. */
const WHOLE_EVERY_MS = 60_000;

interface Kept {
  cards: Map<number, BoardCard>;
  more: Record<string, number>;
  since: string;
  wholeAt: number;
}

export function useBoard() {
  const client = useQueryClient();
  return useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => {
      const asked = client.getQueryData<Kept>(KEY);
      const isFresh = asked !== undefined && Date.now() - asked.wholeAt < WHOLE_EVERY_MS;
      const query = isFresh ? `?${new URLSearchParams({ since: asked.since })}` : "";
      const answer = await getJson<BoardAnswer>(`/api/admin/board${query}`, { signal });
      // What was moved here while the answer was on its way is newer than it.
      return merge(client.getQueryData<Kept>(KEY), answer);
    },
    refetchInterval: EVERY_MS,
    staleTime: 0,
    structuralSharing: false,
  });
}

/** Moves pieces. `stageOf` is where a piece stands on the screen, `isMoving` while the server has not said yes. */
export function useMoves(
  onMoved: (card: BoardCard, from: PieceStage) => void,
  onRefused: (error: unknown) => void,
) {
  const client = useQueryClient();
  const [moving, setMoving] = useState(() => new Map<number, PieceStage>());
  const mutation = useMutation({
    mutationFn: ({ card, stage }: { card: BoardCard; stage: PieceStage }) =>
      postJson<BoardCard>(`/api/admin/pieces/${card.id}/move`, { stage, version: card.version }),
    onSuccess: (moved, { card }) => {
      put(client, moved);
      onMoved(moved, card.stage);
    },
    onError: (error) => {
      const current = error instanceof ApiProblem ? (error.body.current as BoardCard | undefined) : undefined;
      if (current) put(client, current);
      onRefused(error);
    },
    onSettled: (_moved, _error, { card }) =>
      setMoving((before) => new Map([...before].filter(([id]) => id !== card.id))),
  });
  return {
    stageOf: (card: BoardCard) => moving.get(card.id) ?? card.stage,
    isMoving: (card: BoardCard) => moving.has(card.id),
    move: (card: BoardCard, stage: PieceStage) => {
      setMoving((before) => new Map(before).set(card.id, stage));
      mutation.mutate({ card, stage });
    },
  };
}

/** The card as it is known now: an undo needs the version of the move that it undoes. */
export function knownCard(client: QueryClient, id: number): BoardCard | undefined {
  return client.getQueryData<Kept>(KEY)?.cards.get(id);
}

/** Photographs change without their pieces, too. */
export function readWhole(client: QueryClient): void {
  client.setQueryData<Kept>(KEY, (kept) => kept && { ...kept, wholeAt: 0 });
  void client.invalidateQueries({ queryKey: KEY });
}

function merge(before: Kept | undefined, answer: BoardAnswer): Kept {
  const cards = new Map(answer.is_whole ? [] : before?.cards);
  for (const card of answer.cards) cards.set(card.id, newer(before?.cards.get(card.id), card));
  for (const id of answer.gone) cards.delete(id);
  return {
    cards,
    more: answer.is_whole ? answer.more : (before?.more ?? {}),
    since: answer.since,
    wholeAt: answer.is_whole ? Date.now() : (before?.wholeAt ?? 0),
  };
}

function newer(known: BoardCard | undefined, card: BoardCard): BoardCard {
  return known && known.version > card.version ? known : card;
}

function put(client: QueryClient, card: BoardCard): void {
  client.setQueryData<Kept>(
    KEY,
    (kept) =>
      kept && { ...kept, cards: new Map(kept.cards).set(card.id, newer(kept.cards.get(card.id), card)) },
  );
}
