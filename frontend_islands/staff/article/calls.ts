import type { AdminArticle, ArticlePicture, ArticlePreview, ArticleRevision, FieldDiff } from "@/api/types";
import { deleteJson, getJson, patchJson, postJson, putJson } from "@/lib/api";

export const POSTS = "/api/admin/posts";
type Fields = Record<string, unknown>;

export const PICTURES = `${POSTS}/pictures`;

export const fetchArticle = (id: number, signal: AbortSignal) =>
  getJson<AdminArticle>(`${POSTS}/${id}`, { signal });

export const changeArticle = (id: number, fields: Fields) =>
  patchJson<AdminArticle>(`${POSTS}/${id}`, fields);

export const trashArticle = (id: number) => deleteJson<void>(`${POSTS}/${id}`);

export const restoreArticle = (id: number) => postJson<AdminArticle>(`${POSTS}/${id}/restore`, {});

export const keepTyped = (id: number, fields: Fields) => putJson<void>(`${POSTS}/${id}/autosave`, fields);

export const forgetTyped = (id: number) => deleteJson<void>(`${POSTS}/${id}/autosave`);

export const preview = (content: string, language: string, signal: AbortSignal) =>
  postJson<ArticlePreview>(`${POSTS}/preview`, { content, language }, { signal });

export const addPictureByAddress = (url: string, key: string) =>
  postJson<ArticlePicture>(PICTURES, { url }, { headers: { "Idempotency-Key": key } });

export const fetchRevisions = (id: number, signal: AbortSignal) =>
  getJson<ArticleRevision[]>(`${POSTS}/${id}/revisions`, { signal });

export const compareRevisions = (id: number, from: number, to: number, signal: AbortSignal) =>
  getJson<FieldDiff[]>(`${POSTS}/${id}/revisions/${from}/comparison?to=${to}`, { signal });

export const restoreRevision = (id: number, number: number, expected: string) =>
  postJson<AdminArticle>(`${POSTS}/${id}/revisions/${number}/restore`, { expected_updated_at: expected });
