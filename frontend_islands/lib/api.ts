/** Calls to the shop's API. */
import { inLimit } from "./limit";
import { fetchMe, forgetMe } from "./me";

/** Browsers refuse calls that outlive their page once their bodies have 64 KiB together; a character is three bytes at most. */
const MOST_KEPT_ALIVE = 20_000;
/** The characters of those under way. */
let keptAlive = 0;

interface CallOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** The call reads nothing of the visitor: it goes out at once, without asking for a token first. */
  isAnonymous?: boolean;
  /** What this very call answered when it went out before; it is not sent again. */
  sent?: Promise<Response> | undefined;
}

/**
 * A refusal of the server, or none at all.
 *
 * `code` is stable and English; `detail` is a sentence in the visitor's language, empty when the server wrote
 * none. Two codes are made here: `network` (no answer; status 0) and `unreadable` (an answer that is not the
 * API's). `body` holds the whole answer, for members of its own such as a fresh quote.
 */
export class ApiProblem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly errors: Record<string, string[]> = {},
    readonly body: Record<string, unknown> = {},
  ) {
    super(`${status} ${code} ${detail}`);
    this.name = "ApiProblem";
  }
}

/**
 * Reads. Raises `ApiProblem`; an aborted call raises the browser's `AbortError`. Whatever its signal, a call is given up
 * after thirty seconds, a long one later (`network`).
 */
export function getJson<Answer>(path: string, options: CallOptions = {}): Promise<Answer> {
  return call<Answer>("GET", path, undefined, options);
}

/**
 * Writes, with the CSRF token that `/api/me` gives; what was sent goes on when the page is left, unless it is long. Raises
 * like `getJson`.
 */
export function postJson<Answer>(path: string, body: unknown, options: CallOptions = {}): Promise<Answer> {
  return write<Answer>("POST", path, body, options);
}

/** Writes what may be written again without harm; like `postJson`. */
export function putJson<Answer>(path: string, body: unknown, options: CallOptions = {}): Promise<Answer> {
  return write<Answer>("PUT", path, body, options);
}

/** Changes the fields that are sent; like `postJson`. */
export function patchJson<Answer>(path: string, body: unknown, options: CallOptions = {}): Promise<Answer> {
  return write<Answer>("PATCH", path, body, options);
}

/** Removes; like `postJson`, without a body. */
export function deleteJson<Answer>(path: string, options: CallOptions = {}): Promise<Answer> {
  return write<Answer>("DELETE", path, undefined, options);
}

async function write<Answer>(
  method: string,
  path: string,
  body: unknown,
  options: CallOptions,
): Promise<Answer> {
  try {
    return await call<Answer>(method, path, body, options);
  } catch (problem) {
    if (!(problem instanceof ApiProblem) || problem.code !== "csrf_failed") throw problem;
    // The token is of another session (signed in or out in another tab). It was refused before anything was
    // done, so asking once more repeats nothing.
    forgetMe();
    return call<Answer>(method, path, body, options);
  }
}

async function call<Answer>(
  method: string,
  path: string,
  body: unknown,
  options: CallOptions,
): Promise<Answer> {
  const headers: Record<string, string> = {
    Accept: "application/json",
    "Accept-Language": document.documentElement.lang,
    ...options.headers,
  };
  const request: RequestInit = { method, headers, credentials: "same-origin" };
  if (body != null) {
    headers["Content-Type"] = "application/json";
    request.body = JSON.stringify(body);
  }
  const { length } = String(request.body ?? "");
  request.signal = inLimit(options.signal, length);
  if (method !== "GET" && !options.isAnonymous) {
    headers["X-CSRFToken"] = (await answering(fetchMe())).csrf_token;
    request.keepalive = keptAlive + length <= MOST_KEPT_ALIVE;
  }
  const kept = request.keepalive ? length : 0;
  keptAlive += kept;
  try {
    const response = await answering(options.sent ?? fetch(path, request));
    if (response.status === 204) return undefined as Answer;
    const answer = await answering(readJson(response));
    if (response.ok && answer !== undefined) return answer as Answer;
    throw asProblem(response, answer);
  } finally {
    keptAlive -= kept;
  }
}

/** A call without an answer is a problem of its own kind; one that was called off stays what it is. */
async function answering<Result>(attempt: Promise<Result>): Promise<Result> {
  try {
    return await attempt;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    const problem = new ApiProblem(0, "network", "");
    problem.cause = error;
    throw problem;
  }
}

async function readJson(response: Response): Promise<unknown> {
  if (!/\bjson\b/.test(response.headers.get("Content-Type") ?? "")) return undefined;
  try {
    return await response.json();
  } catch (error) {
    // Any other failure is the line's, in the middle of an answer.
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

function asProblem(response: Response, answer: unknown): ApiProblem {
  const body = Object(answer) as Record<string, unknown>;
  if (typeof body.code !== "string") return new ApiProblem(response.status, "unreadable", "");
  const detail = typeof body.detail === "string" ? body.detail : "";
  const errors = Object(body.errors ?? {}) as Record<string, string[]>;
  return new ApiProblem(response.status, body.code, detail, errors, body);
}
