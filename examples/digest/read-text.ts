/**
 * Reads one file as text, and says precisely why it cannot.
 *
 * @module
 */
import { readFile, stat } from "node:fs/promises";
import { NonRetryableError } from "millrace";

const maxSizeBytes = 5_000_000;

/** Reading it again would not help. */
export class NotTextError extends NonRetryableError {
  override readonly name = "NotTextError";
}

/** Somebody wrote it while it was read. Reading it again helps. */
class ChangedWhileReadError extends Error {
  override readonly name = "ChangedWhileReadError";
}

export async function readText(file: string): Promise<string> {
  const before = await stat(file);
  if (before.size > maxSizeBytes) throw new NotTextError(`${before.size} bytes; the limit is ${maxSizeBytes}`);
  const bytes = await readFile(file);
  const after = await stat(file);
  if (after.mtimeMs !== before.mtimeMs || after.size !== bytes.length)
    throw new ChangedWhileReadError("changed while it was read");
  return decode(bytes);
}

function decode(bytes: Uint8Array): string {
  const zero = bytes.indexOf(0);
  if (zero >= 0) throw new NotTextError(`binary: a zero byte at offset ${zero}`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    const offset = firstInvalid(bytes);
    const byte = (bytes[offset] ?? 0).toString(16).padStart(2, "0");
    throw new NotTextError(`not UTF-8: byte 0x${byte} at offset ${offset}`, { cause: error });
  }
}

/** Where decoding goes wrong: the longest prefix that decodes, by bisection, then back over a character cut in two. */
function firstInvalid(bytes: Uint8Array): number {
  let valid = 0;
  let invalid = bytes.length;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    if (decodes(bytes.subarray(0, middle), { stream: true })) valid = middle;
    else invalid = middle;
  }
  while (!decodes(bytes.subarray(0, valid), { stream: false })) valid -= 1;
  return valid;
}

/** With `stream`, a character that is cut in two at the end is forgiven. */
function decodes(bytes: Uint8Array, options: TextDecodeOptions): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, options);
    return true;
  } catch {
    return false; // the answer, not a failure
  }
}

const passing = new Set(["EAGAIN", "EBUSY", "EMFILE", "ENFILE", "ENOENT", "EPERM"]);

/** Whether reading the file again may help: it was locked, missing for a moment, or written to. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ChangedWhileReadError) return true;
  return error instanceof Error && "code" in error && passing.has(String(error.code));
}
