/** Calls about the photographs of one piece. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { MailPreview, MailPreviews, PhotographedPiece, PiecePhoto } from "@/api/types";
import { deleteJson, getJson, postJson } from "@/lib/api";
import { sendFile } from "../pictures/send";
import { shrink } from "../pictures/shrink";

const keyOf = (piece: number) => ["piece-photos", piece];
const photosPath = (piece: number) => `/api/admin/pieces/${piece}/photos`;
const photoPath = (photo: number, part = "") => `/api/admin/photos/${photo}${part}`;

export function usePhotos(piece: number) {
  return useQuery({
    queryKey: keyOf(piece),
    queryFn: ({ signal }) => getJson<PhotographedPiece>(photosPath(piece), { signal }),
    staleTime: 0,
  });
}

/** A photo made small here, then sent, once per `key`; `onProgress` is told how much has left, from 0 to 1. */
export function useUpload(piece: number, onProgress: (share: number) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ file, key }: { file: File; key: string }) =>
      sendFile<PiecePhoto>(photosPath(piece), await shrink(file), onProgress, key),
    onSettled: () => client.invalidateQueries({ queryKey: keyOf(piece) }),
  });
}

export function useMailPreview() {
  return useMutation({
    mutationFn: ({ photo, message }: { photo: number; message: string }) =>
      postJson<MailPreviews>(photoPath(photo, "/send?preview"), { message }).then(
        ({ mails }): MailPreview[] => mails,
      ),
  });
}

export function useSend(piece: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ photo, message }: { photo: number; message: string }) =>
      postJson<PiecePhoto>(photoPath(photo, "/send"), { message }),
    onSettled: () => client.invalidateQueries({ queryKey: keyOf(piece) }),
  });
}

export function useRemove(piece: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (photo: number) => deleteJson(photoPath(photo)),
    onSettled: () => client.invalidateQueries({ queryKey: keyOf(piece) }),
  });
}
