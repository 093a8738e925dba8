/** Sends a file and tells how far it is: `fetch` does not say how much of a body has left. */
import { ApiProblem } from "@/lib/api";
import { longest } from "@/lib/limit";
import { fetchMe, forgetMe } from "@/lib/me";
import { randomKey } from "@/lib/random-key";

const ATTEMPTS = 6;

/**
 * Raises `ApiProblem`. The server draws one picture after the other: what it has no time for is sent again. Sent again
 * under the same `key`, it is stored once.
 */
export async function sendFile<Answer>(
  address: string,
  file: File,
  onProgress: (share: number) => void,
  key = randomKey(),
): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send<Answer>(address, file, onProgress, key);
    } catch (error) {
      const isTokenOld = error instanceof ApiProblem && error.code === "csrf_failed";
      const isBusy = error instanceof ApiProblem && error.code === "busy";
      if (!(isTokenOld || isBusy) || attempt === ATTEMPTS) throw error;
      if (isTokenOld) forgetMe();
      else await new Promise((done) => setTimeout(done, 1500));
    }
  }
}

async function send<Answer>(
  address: string,
  file: File,
  onProgress: (share: number) => void,
  key: string,
): Promise<Answer> {
  const token = await fetchMe().then(
    (me) => me.csrf_token,
    () => {
      throw new ApiProblem(0, "network", "");
    },
  );
  const body = new FormData();
  body.append("file", file, file.name);
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.timeout = longest(file.size);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Accept-Language", document.documentElement.lang);
    request.setRequestHeader("X-CSRFToken", token);
    request.setRequestHeader("Idempotency-Key", key);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total ? loaded / total : 0);
    request.onerror = request.ontimeout = () => fail(new ApiProblem(0, "network", ""));
    request.onload = () => {
      const answer = parsed(request.responseText);
      if (request.status === 201) done(answer as unknown as Answer);
      else fail(problem(request.status, answer));
    };
    request.send(body);
  });
}

function problem(status: number, answer: Record<string, unknown>): ApiProblem {
  const { code, detail } = answer;
  return typeof code === "string"
    ? new ApiProblem(status, code, String(detail ?? ""), {}, answer)
    : new ApiProblem(status, "unreadable", "");
}

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
