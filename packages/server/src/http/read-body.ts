/**
 * The only reader of request bodies; it enforces the limits.
 *
 * @module
 */

import { afterMs } from "../system.js";
import { parseJson } from "./guard-json.js";
import { bodyInvalid, HttpError } from "./http-error.js";

export interface BodyLimits {
  readonly bodyBytes: number;
  readonly bodyDepth: number;
  readonly bodyTimeoutMs: number;
}

export const defaultBodyLimits: BodyLimits = { bodyBytes: 1_048_576, bodyDepth: 64, bodyTimeoutMs: 10_000 };

/**
 * Parses the body as JSON; an empty body is `{}`.
 *
 * @throws {HttpError} `BODY_INVALID`, `BODY_NOT_JSON`, `BODY_TOO_LARGE`, `BODY_TIMEOUT`
 */
export async function readBody(request: Request, limits: BodyLimits): Promise<unknown> {
  return parseBody(await readBodyText(request, limits), request.headers.get("content-type"), limits);
}

/** @throws {HttpError} `BODY_INVALID`, `BODY_TOO_LARGE`, `BODY_TIMEOUT` */
export async function readBodyText(request: Request, limits: BodyLimits): Promise<string> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > limits.bodyBytes) throw tooLarge(limits);
  return readText(request, limits);
}

/** @throws {HttpError} `BODY_INVALID`, `BODY_NOT_JSON` */
export function parseBody(text: string, contentType: string | null, { bodyDepth }: BodyLimits): unknown {
  if (text.trim() === "") return {};
  if (!isJson(contentType)) throw notJson();
  return parseJson(text, bodyDepth);
}

/** Only JSON is accepted, because any web page could send other types without a preflight request. */
export function isJson(contentType: string | null): boolean {
  return /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType ?? "");
}

async function readText(request: Request, limits: BodyLimits): Promise<string> {
  // The platform enforces a declared length, so the whole body is read at once, which is much cheaper.
  const isDeclared = request.headers.has("content-length");
  const reading = isDeclared ? readWhole(request, limits) : readParts(request, limits);
  try {
    return await inTime(reading.text, limits);
  } catch (error) {
    reading.stop();
    if (error instanceof HttpError) throw error;
    throw bodyInvalid("The body broke off, or is no UTF-8.");
  }
}

/** Every request waits here: one promise is cheaper than a race of two. */
function inTime(text: Promise<string>, limits: BodyLimits): Promise<string> {
  return new Promise((resolve, reject) => {
    const cancelTimer = afterMs(limits.bodyTimeoutMs, () => reject(tooSlow(limits)));
    text.then(resolve, reject).then(cancelTimer);
  });
}

interface Reading {
  readonly text: Promise<string>;
  readonly stop: () => void;
}

function readWhole(request: Request, limits: BodyLimits): Reading {
  const decode = (bytes: ArrayBuffer): string => {
    if (bytes.byteLength > limits.bodyBytes) throw tooLarge(limits);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  };
  return { text: request.arrayBuffer().then(decode), stop: () => {} };
}

function readParts({ body }: Request, limits: BodyLimits): Reading {
  if (body === null) return { text: Promise.resolve(""), stop: () => {} };
  const reader = body.getReader();
  const stop = (): void => void reader.cancel().catch(() => {}); // the read may fail by itself
  return { text: readAll(reader, limits), stop };
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>, limits: BodyLimits): Promise<string> {
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let sizeBytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + utf8.decode();
    sizeBytes += value.byteLength;
    if (sizeBytes > limits.bodyBytes) throw tooLarge(limits);
    text += utf8.decode(value, { stream: true });
  }
}

function tooLarge({ bodyBytes }: BodyLimits): HttpError {
  const detail = `The body is larger than ${bodyBytes} bytes.`;
  return new HttpError({ status: 413, code: "BODY_TOO_LARGE", detail, headers: closing });
}

function tooSlow({ bodyTimeoutMs }: BodyLimits): HttpError {
  const detail = `The body did not come within ${bodyTimeoutMs} ms.`;
  return new HttpError({ status: 408, code: "BODY_TIMEOUT", detail, headers: closing });
}

/** Closes the connection, because the rest of the body is not read. */
const closing = { connection: "close" };

function notJson(): HttpError {
  return new HttpError({
    status: 415,
    code: "BODY_NOT_JSON",
    detail: "The body is not sent as JSON.",
    hint: "Send it with `content-type: application/json`.",
  });
}
