/**
 * The signed text at the end of a link: which prompt it answers, until when, and how.
 *
 * ```text
 * eyJydW4iOiJy…   .   n0Zk3…
 * facts, as JSON      HMAC-SHA-256 of the facts
 * ```
 *
 * Both parts are base64url. The facts are no secret; only a holder of the secret can change them.
 *
 * @module
 */
import { HttpError } from "../http/http-error.js";

/** What a link says. */
export interface LinkFacts {
  readonly run: string;
  /** Absent: no tenant. */
  readonly tenant?: string | undefined;
  readonly prompt: string;
  /** Epoch milliseconds; absent: as long as the prompt is open. */
  readonly expiresAtMs?: number | undefined;
  /** Methods that answer; absent: `POST`. */
  readonly methods?: readonly LinkMethod[] | undefined;
  /** Text of the response to an answer; absent: a page, or JSON. */
  readonly reply?: string | undefined;
}

/** A method of HTTP that can carry an answer. */
export type LinkMethod = "GET" | "POST" | "PUT" | "PATCH";

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const algorithm = { name: "HMAC", hash: "SHA-256" };

export class LinkSigner {
  readonly #secrets: readonly string[];
  #keys: Promise<readonly Key[]> | null = null;

  /** @param secrets The first one signs, every one verifies. */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  async sign(facts: LinkFacts): Promise<string> {
    const [key] = await this.#imported();
    const text = toBase64Url(new TextEncoder().encode(JSON.stringify(facts)));
    const mac = await crypto.subtle.sign(algorithm, key as Key, new TextEncoder().encode(text));
    return `${text}.${toBase64Url(new Uint8Array(mac))}`;
  }

  /** @throws {HttpError} `LINK_INVALID`, `LINK_EXPIRED` */
  async verify(token: string, nowMs: number): Promise<LinkFacts> {
    const [text = "", given = "", ...others] = token.split(".");
    const mac = fromBase64Url(given);
    if (mac === null || others.length > 0 || !(await this.#isSigned(text, mac))) throw linkInvalid();
    const facts = JSON.parse(new TextDecoder().decode(fromBase64Url(text) as Uint8Array)) as LinkFacts;
    if (facts.expiresAtMs !== undefined && facts.expiresAtMs <= nowMs) throw linkExpired(facts.expiresAtMs);
    return facts;
  }

  async #isSigned(text: string, mac: Uint8Array<ArrayBuffer>): Promise<boolean> {
    const bytes = new TextEncoder().encode(text);
    for (const key of await this.#imported()) if (await crypto.subtle.verify(algorithm, key, mac, bytes)) return true;
    return false;
  }

  /** Not at creation: some platforms have no crypto before the first request. */
  #imported(): Promise<readonly Key[]> {
    this.#keys ??= Promise.all(
      this.#secrets.map((secret) =>
        crypto.subtle.importKey("raw", new TextEncoder().encode(secret), algorithm, false, ["sign", "verify"]),
      ),
    );
    return this.#keys;
  }
}

function toBase64Url(bytes: Uint8Array): string {
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
}

/** Returns `null` for a text that is not base64url. */
function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]+$/.test(text) || text.length % 4 === 1) return null;
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (char) => char.charCodeAt(0));
}

function linkInvalid(): HttpError {
  return new HttpError({
    status: 403,
    code: "LINK_INVALID",
    detail: "This link is not valid: its signature does not match.",
    hint: "Copy the whole address. A link that was signed with a secret that is no longer used is not valid either.",
  });
}

function linkExpired(atMs: number): HttpError {
  return new HttpError({
    status: 410,
    code: "LINK_EXPIRED",
    detail: `This link expired at ${new Date(atMs).toISOString()}.`,
    hint: "Ask for a new one.",
  });
}
