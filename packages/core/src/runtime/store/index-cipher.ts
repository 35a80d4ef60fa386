/**
 * Values of inputs in an encrypted store: HMAC-SHA-256 under a key of their own, so that equal values of a tenant are found and none can
 * be read.
 *
 * @module
 */
import type { NewRunRecord, RunQuery } from "./run-store.types.js";
import { fromBase64, type NodeCrypto, nodeCrypto, type StoreKey } from "./text-cipher.js";

export class IndexCipher {
  readonly #crypto: NodeCrypto;
  readonly #key: Uint8Array;

  constructor(given: StoreKey["key"]) {
    this.#crypto = nodeCrypto();
    const bytes = typeof given === "string" ? fromBase64(given) : given;
    // Not the key itself, which encrypts texts.
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
