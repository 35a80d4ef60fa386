/** Places of calls, read from their ids: see `call-ids.ts`. */
import { isPath, unescaped } from "./call-ids.js";

/** One segment of the id of a call: a scope, or a call. */
export interface CallPlace {
  /** `"scope"`, or the kind of the call: `"run"`, `"wait"`, `"edit"`, … */
  readonly kind: string;
  /** The name of the scope, the key of the call, or what a call without a key is about. */
  readonly name: string;
  /** Number of earlier calls of the same name in the attempt. */
  readonly count: number;
}

/** The scopes and calls that a call was made in, from the outermost, and last the call itself. */
export function placesOf(call: string): readonly CallPlace[] {
  if (!isPath(call)) return [placeOf(call)];
  const parts = call.slice(1).split("/");
  return parts.map((part) => placeOf(unescaped(part)));
}

/** Returns the readable name of a call: the names of its scopes and its key, as `mail › pay`. */
export function readableCall(call: string): string {
  return placesOf(call)
    .map(({ name }) => name)
    .join(" › ");
}

function placeOf(part: string): CallPlace {
  if (part.startsWith("@")) return { kind: "scope", name: part.slice(1), count: 0 };
  const [, count, kind = "", key] = /^(?:(\d+):)?(\w+)=(.*)$/s.exec(part) ?? [];
  if (key !== undefined) return { kind, name: key, count: Number(count ?? 0) };
  const [, of = "", name = part, position] = /^(\w+):(.*)#(\d+)$/s.exec(part) ?? [];
  return { kind: of, name, count: Number(position ?? 0) };
}
