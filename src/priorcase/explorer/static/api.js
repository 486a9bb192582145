// Requests to the service. Errors are sentences; a request that a newer one of the same key replaces is aborted.

export class Problem extends Error {
  constructor(detail, status) {
    super(detail);
    this.status = status;
  }
}

export const isAbort = (error) => error?.name === "AbortError";

const pending = new Map();

async function sent(method, path, body, signal) {
  const options = { method, signal, credentials: "same-origin", headers: {} };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["content-type"] = "application/json";
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new Problem("The explorer does not answer. Is the command still running?", 0);
  }
  const document = await response.json().catch(() => ({}));
  if (!response.ok) throw new Problem(document.detail ?? `The answer has status ${response.status}.`, response.status);
  return document;
}

/** A path with options; lists are repeated, and what is undefined is left out. */
export function withOptions(path, options) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options ?? {}))
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined && one !== null) query.append(name, one);
  return query.size ? `${path}?${query}` : path;
}

export const get = (path, options) => sent("GET", withOptions(path, options));
export const post = (path, body, options) => sent("POST", withOptions(path, options), body);

/** Like `post`, but a request of the same key that is still under way is aborted: its answer never comes late. */
export async function latest(key, path, body, options) {
  pending.get(key)?.abort();
  const controller = new AbortController();
  pending.set(key, controller);
  try {
    return await sent("POST", withOptions(path, options), body, controller.signal);
  } finally {
    if (pending.get(key) === controller) pending.delete(key);
  }
}

/** Send a file as it is; from then on it is named by the id of the answer. */
export async function upload(file) {
  let response;
  try {
    response = await fetch(withOptions("/uploads", { name: file.name }), { method: "POST", credentials: "same-origin", headers: { "content-type": "application/octet-stream" }, body: file });
  } catch {
    throw new Problem("The file could not be sent. Is the command still running?", 0);
  }
  const document = await response.json().catch(() => ({}));
  if (!response.ok) throw new Problem(document.detail ?? `The answer has status ${response.status}.`, response.status);
  return document;
}

/** Abort what is under way for these keys. */
export function abort(...keys) {
  for (const key of keys) pending.get(key)?.abort();
}

/** A header and the bytes behind it, as the map sends them: see `packed` in map.py. */
export async function packed(path, options) {
  let response;
  try {
    response = await fetch(withOptions(path, options), { credentials: "same-origin" });
  } catch {
    throw new Problem("The explorer does not answer. Is the command still running?", 0);
  }
  if (!response.ok) throw new Problem((await response.json().catch(() => ({}))).detail ?? `The answer has status ${response.status}.`, response.status);
  const buffer = await response.arrayBuffer();
  const size = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  return { header, buffer, start: 4 + size };
}
