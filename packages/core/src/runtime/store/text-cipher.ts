/**
 * Encrypts single texts with AES-256-GCM.
 *
 * ```text
 * "~1.2026.bm9uY2UgdHdlbHZlY2lwaGVydGV4dA==.dGFnIG9mIHNpeHRlZW4gYg==.h1,h2"
 *   │  │    │               │                 │                        └ hashes of the blobs that the text names: the store counts them
 *   │  │    │               │                 └ tag of 16 bytes
 *   │  │    │               └ ciphertext
 *   │  │    └ 12 bytes of nonce, at random
 *   │  └ id of the key
 *   └ the form
 * ```
 *
 * Where a text belongs is additional data: a text that is moved to another run, or to another place in its run, cannot be read.
 *
 * @module
 */

import { invalidOption, WorkflowError } from "../../errors/workflow-error.js";
import type { NewRunRecord, RunQuery } from "./run-store.types.js";

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
  /** A key that is prepared once: that takes as long as to encrypt a short text. */
  createSecretKey(bytes: Uint8Array): SecretKey;
  createCipheriv(algorithm: string, key: SecretKey, nonce: Uint8Array): Cipher & { getAuthTag(): Base64able };
  createHmac(algorithm: string, key: Uint8Array): Hmac;
  createDecipheriv(
    algorithm: string,
    key: SecretKey,
    nonce: Uint8Array,
  ): Cipher & { setAuthTag(tag: Uint8Array): void };
}

interface Hmac {
  update(text: string): Hmac;
  digest(): Uint8Array;
  digest(encoding: "base64url"): string;
}

type SecretKey = object;

interface Base64able {
  toString(encoding: "base64"): string;
}

/** Cipher with its encodings: a walk over the bytes in JavaScript takes longer than the encryption. */
interface Cipher {
  setAAD(data: Uint8Array): void;
  update(text: string, from: "utf8" | "base64", to: "utf8" | "base64"): string;
  final(to: "utf8" | "base64"): string;
}

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const form = /^"~1\.([\w-]{1,32})\.([A-Za-z0-9+/]{16})([A-Za-z0-9+/]*={0,2})\.([A-Za-z0-9+/]{22}==)\.[^"]*"$/;

/** Synchronous, as Web Crypto is not: the commits of one turn stay one transaction, and a short text takes a few microseconds. */
export class TextCipher {
  readonly #crypto: NodeCrypto;
  readonly #keys: ReadonlyMap<string, SecretKey>;
  readonly #first: string;
  readonly #acceptsPlain: boolean;

  /** @param keys The first one encrypts, each decrypts. */
  constructor(keys: readonly StoreKey[], acceptsPlain: boolean) {
    const node = nodeCrypto();
    const bytesOf = (key: StoreKey["key"]): Uint8Array => (typeof key === "string" ? fromBase64(key) : key);
    this.#crypto = node;
    this.#keys = new Map(keys.map(({ id, key }) => [id, node.createSecretKey(bytesOf(key))]));
    this.#first = keys[0]?.id ?? "";
    this.#acceptsPlain = acceptsPlain;
  }

  /** @param hashes Of the blobs that it names, which stay readable. */
  encrypt(text: string, place: TextPlace, hashes: readonly string[] = []): string {
    const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes));
    const cipher = this.#crypto.createCipheriv(algorithm, this.#keys.get(this.#first) as SecretKey, nonce);
    cipher.setAAD(aboutPlace(place));
    const encrypted = cipher.update(text, "utf8", "base64") + cipher.final("base64");
    const start = btoa(String.fromCharCode(...nonce)) + encrypted;
    return `"~1.${this.#first}.${start}.${cipher.getAuthTag().toString("base64")}.${hashes.join(",")}"`;
  }

  /** @throws {WorkflowError} `STORE_CORRUPT` for a text that is not encrypted, of an unknown key, changed, or from another place. */
  decrypt(stored: string, place: TextPlace): string {
    const [, id, nonce = "", encrypted = "", tag = ""] = form.exec(stored) ?? [];
    if (id === undefined) {
      if (this.#acceptsPlain) return stored;
      const hint = 'Set `plain: "accept"` while a store has texts from before.';
      throw unreadable(place, { what: "is not encrypted", hint });
    }
    const key = this.#keys.get(id);
    if (key === undefined)
      throw unreadable(place, { what: `needs the key "${id}"`, hint: "Add that key to `keys`, behind the first one." });
    try {
      const decipher = this.#crypto.createDecipheriv(algorithm, key, fromBase64(nonce));
      decipher.setAAD(aboutPlace(place));
      decipher.setAuthTag(fromBase64(tag));
      return decipher.update(encrypted, "base64", "utf8") + decipher.final("utf8");
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
  throw invalidOption(
    "`encryptedStore` needs `node:crypto`, which this platform does not have.",
    "Use it in Node, Bun, Deno, or on workerd with `nodejs_compat`.",
  );
}

function aboutPlace(place: TextPlace): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(place));
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
    message: `A text of an encrypted store (${place.filter((part) => part !== "").join(" ")}) ${what}.`,
    hint,
    details: { place },
    ...cause,
  });
}

/**
 * Values of inputs in an encrypted store: HMAC-SHA-256 under a key of their own, so that equal values of a tenant are found and none can
 * be read.
 */
export class IndexCipher {
  readonly #crypto: NodeCrypto;
  readonly #key: Uint8Array;

  constructor(given: StoreKey["key"]) {
    this.#crypto = nodeCrypto();
    const bytes = typeof given === "string" ? fromBase64(given) : given;
    // The key itself encrypts texts, so hashes use another one that is made of it.
    this.#key = this.#crypto.createHmac("sha256", bytes).update("millrace index").digest();
  }

  /** The same for equal values of one name and tenant. */
  #hide(...place: readonly [tenant: string, name: string, value: string]): string {
    return this.#crypto.createHmac("sha256", this.#key).update(JSON.stringify(place)).digest("base64url");
  }

  index(tenant: string, index: NonNullable<NewRunRecord["index"]>): NonNullable<NewRunRecord["index"]> {
    const entries = Object.entries(index);
    return Object.fromEntries(
      entries.map(([name, values]) => [name, values.map((value) => this.#hide(tenant, name, value))]),
    );
  }

  query<Query extends Pick<RunQuery, "tenant" | "index">>(query: Query): Query {
    if (query.index === undefined) return query;
    const entries = Object.entries(query.index);
    const index = Object.fromEntries(entries.map(([name, value]) => [name, this.#hide(query.tenant, name, value)]));
    return { ...query, index };
  }
}
