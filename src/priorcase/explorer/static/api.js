// Requests to the service. Errors are thrown as a Problem with a message for the user.

export class Problem extends Error {
  constructor(detail, status) {
    super(detail);
    this.status = status;
  }
}

export const isAbort = (error) => error?.name === "AbortError";

export const STOPPED = "The explorer has stopped. Start it again with priorcase explore.";

const pending = new Map();

// Whether the service responds. While it does not respond, only GET /status is sent, to find out when the service is back,
// because browsers write an error to the console for every request that fails.
export const connection = { lost: false, changed: () => {} };

async function fetched(path, options) {
  if (connection.lost && path !== "/status") throw new Problem(STOPPED, 0);
  try {
    const response = await fetch(path, options);
    if (connection.lost) {
      connection.lost = false;
      connection.changed();
    }
    return response;
  } catch (error) {
    if (isAbort(error)) throw error;
    if (!connection.lost) {
      connection.lost = true;
      connection.changed();
    }
    throw new Problem(STOPPED, 0);
  }
}

// Objects of a response inherit nothing, because their names may be columns, which can be named __proto__ or constructor.
const bare = (name, value) => (value !== null && typeof value === "object" && !Array.isArray(value) ? Object.setPrototypeOf(value, null) : value);
const parsed = async (response) => JSON.parse(await response.text(), bare);

async function sent(method, path, body, signal) {
  const options = { method, signal, credentials: "same-origin", headers: {} };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["content-type"] = "application/json";
  }
  const response = await fetched(path, options);
  const document = await parsed(response).catch((error) => {
    if (isAbort(error)) throw error;
    if (response.ok) throw new Problem("The response of the explorer is incomplete. Reload the page.", 0);
    return {};
  });
  if (!response.ok) throw new Problem(document.detail ?? `The response has status ${response.status}.`, response.status);
  return document;
}

/** Add options to a path; a list adds its option repeatedly, and undefined options are omitted. */
export function withOptions(path, options) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options ?? {}))
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined && one !== null) query.append(name, one);
  return query.size ? `${path}?${query}` : path;
}

export const get = (path, options) => sent("GET", withOptions(path, options));
export const post = (path, body, options) => sent("POST", withOptions(path, options), body);

/** Like `post`, but first abort a pending request with the same key, so that an outdated response is never used. */
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

/** Upload a file; later requests refer to it by the id in the response. */
export async function upload(file) {
  const response = await fetched(withOptions("/uploads", { name: file.name }), { method: "POST", credentials: "same-origin", headers: { "content-type": "application/octet-stream" }, body: file });
  const document = await response.json().catch(() => ({}));
  if (!response.ok) throw new Problem(document.detail ?? `The response has status ${response.status}.`, response.status);
  return document;
}

/** Upload a file and open it. */
export async function openFile(file) {
  const sent = await upload(file);
  return post("/open", { upload: sent.id });
}

/** Abort the pending requests with these keys. */
export function abort(...keys) {
  for (const key of keys) pending.get(key)?.abort();
}

/** Get a JSON header followed by binary data, as sent for the map: see `packed` in map.py. */
export async function packed(path, options) {
  const response = await fetched(withOptions(path, options), { credentials: "same-origin" });
  if (!response.ok) throw new Problem((await response.json().catch(() => ({}))).detail ?? `The response has status ${response.status}.`, response.status);
  const buffer = await response.arrayBuffer();
  const size = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)), bare);
  return { header, buffer, start: 4 + size };
}
