// Calls to the gateway's own interface.

import text from "./text.js";

/** What the gateway refused, or why it could not be asked. `code` is stable; see /openapi.json. */
export class Problem extends Error {
  constructor(code, members = {}) {
    super(code);
    this.code = code;
    this.retryAfter = members.retryAfter;
    this.signals = members.signals;
    this.kinds = members.kinds;
    this.assurance = members.assurance;
    this.maxAge = members.maxAge;
  }
}

async function send(method, path, body) {
  const headers = body === undefined ? {} : { "Content-Type": "application/json" };
  try {
    const response = await fetch(path, { method, headers, body: body && JSON.stringify(body), cache: "no-store" });
    const content = await response.text();
    return { response, answer: content ? JSON.parse(content) : {} };
  } catch {
    throw new Problem("unreachable");
  }
}

/** One call; resolves with the answer's JSON and throws a `Problem` for everything but success. */
export async function call(method, path, body) {
  const { response, answer } = await send(method, path, body);
  if (!response.ok) throw new Problem(answer.code ?? "default", answer);
  return answer;
}

/**
 * Begins a ceremony. `lifetime` is in milliseconds and holds whatever the visitor's clock says, since it is measured
 * against the `Date` of the same answer.
 */
export async function begin(path, body) {
  const { response, answer } = await send("POST", path, body);
  if (!response.ok) throw new Problem(answer.code ?? "default", answer);
  const sent = Date.parse(response.headers.get("Date"));
  return { ...answer, lifetime: Date.parse(answer.expiresAt) - sent || 300_000 };
}

/** A ceremony that can't be completed any more, through no fault of the visitor's. */
export const isStale = (error) =>
  ["ceremony_expired", "ceremony_exhausted", "ceremony_consumed", "ceremony_unknown"].includes(error?.code);

export const fill = (template, values) => template.replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");

function waiting(seconds) {
  const minutes = Math.ceil(seconds / 60);
  if (seconds === 1) return text["error.wait.second"];
  if (seconds < 60) return fill(text["error.wait.seconds"], { count: seconds });
  return minutes === 1 ? text["error.wait.minute"] : fill(text["error.wait.minutes"], { count: minutes });
}

/**
 * What to tell a person about an error; nothing for one that they caused themselves by cancelling.
 *
 * WebAuthn §5.1.3 and §5.1.4: `NotAllowedError` stands for cancelled and timed out alike, and only
 * `InvalidStateError` says that the authenticator holds a credential already.
 */
export function message(error, scope) {
  if (error instanceof Problem) {
    if (error.code === "too_many_attempts") return fill(text["error.wait"], { time: waiting(error.retryAfter ?? 60) });
    const known = (scope && text[`error.${scope}.${error.code}`]) ?? text[`error.${error.code}`];
    if (known) return known;
    return text[isStale(error) ? "error.ceremony" : error.isFromPasskey ? "error.passkey_failed" : "error.default"];
  }
  switch (error?.name) {
    case "NotAllowedError":
    case "AbortError":
      return "";
    case "InvalidStateError":
      return text["error.duplicate"];
    case "SecurityError":
      return text["error.insecure"];
    default:
      return text["error.default"];
  }
}
