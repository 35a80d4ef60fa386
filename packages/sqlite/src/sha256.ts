/**
 * SHA-256 for platforms without a synchronous one.
 *
 * @see https://csrc.nist.gov/pubs/fips/180-4/upd1/final
 * @module
 */

const utf8 = new TextEncoder();
const blockBytes = 64;

/** Hash of the UTF-8 bytes of a text, as hexadecimal digits. */
export function sha256(text: string): string {
  const words = padded(utf8.encode(text));
  const hash = Uint32Array.from(firstHash);
  const schedule = new Uint32Array(64);
  for (let at = 0; at < words.length; at += 16) {
    schedule.set(words.subarray(at, at + 16));
    extend(schedule);
    mix(hash, schedule);
  }
  return Array.from(hash, (word) => word.toString(16).padStart(8, "0")).join("");
}

/** The bytes, a one bit, zeros, and the length in bits, as whole blocks of big-endian words. */
function padded(bytes: Uint8Array): Uint32Array {
  const sizeBytes = Math.ceil((bytes.length + 9) / blockBytes) * blockBytes;
  const view = new DataView(new ArrayBuffer(sizeBytes));
  new Uint8Array(view.buffer).set(bytes);
  view.setUint8(bytes.length, 0x80);
  view.setBigUint64(sizeBytes - 8, BigInt(bytes.length) * 8n);
  return Uint32Array.from({ length: sizeBytes / 4 }, (_, index) => view.getUint32(index * 4));
}

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

function extend(schedule: Uint32Array): void {
  for (let at = 16; at < 64; at++) {
    const early = schedule[at - 15] as number;
    const late = schedule[at - 2] as number;
    const small0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const small1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    schedule[at] = (schedule[at - 16] as number) + small0 + (schedule[at - 7] as number) + small1;
  }
}

type Eight = [number, number, number, number, number, number, number, number];

function mix(hash: Uint32Array, schedule: Uint32Array): void {
  let [a, b, c, d, e, f, g, h] = hash as unknown as Eight;
  for (let at = 0; at < 64; at++) {
    const big1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const one = (h + big1 + choice + (roundWords[at] as number) + (schedule[at] as number)) | 0;
    const big0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + big0 + majority) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    hash[index] = (hash[index] as number) + word;
  });
}

const primes = [...Array(312).keys()].filter((n) => n > 1 && ![...Array(n).keys()].some((d) => d > 1 && n % d === 0));
const fraction = (root: number): number => Math.floor((root % 1) * 2 ** 32);

/** The first 32 fractional bits of the square roots of the first 8 primes, and of the cube roots of the first 64. */
const firstHash: readonly number[] = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const roundWords: readonly number[] = primes.slice(0, 64).map((prime) => fraction(Math.cbrt(prime)));
