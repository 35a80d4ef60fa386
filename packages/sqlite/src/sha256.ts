import { sha256 as hashOf } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

const utf8 = new TextEncoder();

/** Hash of the UTF-8 bytes of a text, as hexadecimal digits: for platforms without a synchronous one. */
export function sha256(text: string): string {
  return bytesToHex(hashOf(utf8.encode(text)));
}
