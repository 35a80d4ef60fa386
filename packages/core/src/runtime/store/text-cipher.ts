/**
 * Encrypts single texts with AES-256-GCM.
 *
 * ```text
 * "~1.2026.bm9uY2UgY2lwaGVydGV4dA==.h1,h2"
 *   │  │    │                       └ hashes of the blobs that the text names: the store counts them
 *   │  │    └ 12 bytes of nonce, at random, then the ciphertext with its tag
 *   │  └ id of the key
 *   └ the form
 * ```
 *
 * Where a text belongs is additional data: a text that is moved to another run, or to another place in its run, cannot be read.
 *
 * @module
 */
import { WorkflowError } from "../../errors/workflow-error.js";

/** One key of a store. */
export interface StoreKey {
  /** Stored with every text: 1 to 32 letters, digits, `-` or `_`. */
  readonly id: string;
  /** 32 bytes, or their base64. */
  readonly key: Uint8Array | string;
}

/** Where a text belongs: tenant, run or record, and which of its texts it is. */
export type TextPlace = readonly (string | number)[];

/** The part of `node:crypto` that is used: the core imports nothing of Node, not even types. */
interface NodeCrypto {
  createCipheriv(algorithm: string, key: Uint8Array, nonce: Uint8Array): Cipher & { getAuthTag(): Uint8Array };
  createDecipheriv(
    algorithm: string,
    key: Uint8Array,
    nonce: Uint8Array,
  ): Cipher & { setAuthTag(tag: Uint8Array): void };
}

interface Cipher {
  setAAD(data: Uint8Array): void;
  update(bytes: Uint8Array): Uint8Array;
  final(): Uint8Array;
}

const algorithm = "aes-256-gcm";
const [nonceBytes, tagBytes] = [12, 16];
const form = /^"~1\.([\w-]{1,32})\.([A-Za-z0-9+/]+={0,2})\.[^"]*"$/;

/** Synchronous, as Web Crypto is not: the commits of one turn stay one transaction, and a short text takes a few microseconds. */
export class TextCipher {
  readonly #crypto: NodeCrypto;
  readonly #keys: ReadonlyMap<string, Uint8Array>;
  readonly #first: string;
  readonly #acceptsPlain: boolean;

  /** @param keys The first one encrypts, each decrypts. */
  constructor(keys: readonly StoreKey[], acceptsPlain: boolean) {
    this.#crypto = nodeCrypto();
    this.#keys = new Map(
      keys.map(({ id, key }) => [id, typeof key === "string" ? fromBase64(key) : Uint8Array.from(key)]),
    );
    this.#first = keys[0]?.id ?? "";
    this.#acceptsPlain = acceptsPlain;
  }

  /** @param hashes Of the blobs that it names, which stay readable. */
  encrypt(text: string, place: TextPlace, hashes: readonly string[] = []): string {
    const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes));
    const cipher = this.#crypto.createCipheriv(algorithm, this.#keys.get(this.#first) as Uint8Array, nonce);
    cipher.setAAD(aboutPlace(place));
    const parts = [nonce, cipher.update(utf8(text)), cipher.final()];
    return `"~1.${this.#first}.${toBase64([...parts, cipher.getAuthTag()])}.${hashes.join(",")}"`;
  }

  /** @throws {WorkflowError} `STORE_CORRUPT` for a text that is not encrypted, of an unknown key, changed, or from another place. */
  decrypt(stored: string, place: TextPlace): string {
    const [, id, base64] = form.exec(stored) ?? [];
    if (id === undefined || base64 === undefined) {
      if (this.#acceptsPlain) return stored;
      throw unreadable(place, {
        what: "is not encrypted",
        hint: 'Set `plain: "accept"` while a store has texts from before.',
      });
    }
    const key = this.#keys.get(id);
    if (key === undefined)
      throw unreadable(place, { what: `needs the key "${id}"`, hint: "Add that key to `keys`, behind the first one." });
    const bytes = fromBase64(base64);
    try {
      const decipher = this.#crypto.createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes));
      decipher.setAAD(aboutPlace(place));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      const decoder = new TextDecoder();
      const start = decoder.decode(decipher.update(bytes.subarray(nonceBytes, -tagBytes)), { stream: true });
      return start + decoder.decode(decipher.final());
    } catch (cause) {
      const hint =
        "It was changed, moved from another run, or encrypted with another key of this id. Restore a backup.";
      throw unreadable(place, { what: `is not what was encrypted with the key "${id}"`, hint, cause });
    }
  }
}

function nodeCrypto(): NodeCrypto {
  const found: unknown = globalThis.process?.getBuiltinModule?.("crypto");
  if (found !== undefined) return found as NodeCrypto;
  throw new WorkflowError({
    code: "OPTION_INVALID",
    message: "`encryptedStore` needs `node:crypto`, which this platform does not have.",
    hint: "Use it in Node, Bun, Deno, or on workerd with `nodejs_compat`.",
  });
}

function aboutPlace(place: TextPlace): Uint8Array {
  return utf8(JSON.stringify(place));
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function toBase64(parts: readonly Uint8Array[]): string {
  const texts: string[] = [];
  // In pieces, because the arguments of a call are limited.
  for (const part of parts)
    for (let at = 0; at < part.length; at += 8_192) texts.push(String.fromCharCode(...part.subarray(at, at + 8_192)));
  return btoa(texts.join(""));
}

/** Returns no bytes for a text that is not base64. */
export function fromBase64(text: string): Uint8Array {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return new Uint8Array();
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

interface Unreadable {
  readonly what: string;
  readonly hint: string;
  readonly cause?: unknown;
}

function unreadable(place: TextPlace, { what, hint, ...cause }: Unreadable): WorkflowError {
  return new WorkflowError({
    code: "STORE_CORRUPT",
    message: `A text of an encrypted store (${place.join(" ")}) ${what}.`,
    hint,
    details: { place },
    ...cause,
  });
}
