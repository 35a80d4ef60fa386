/**
 * Records of the runtime as they travel: `startedAtMs: number` is `started_at: string`.
 *
 * @module
 */
import { isoTime } from "../system.js";

/** Names that are not the same with underscores. */
const names: Readonly<Record<string, string>> = {
  workflow: "workflow_name",
  isFinal: "final",
  atMs: "at",
  fromMs: "from",
  toMs: "to",
  untilMs: "until",
};

/** The record with the names that its fields have on the wire, and times as texts. Not what is inside its fields. */
export function wired<Wired>(record: object): Wired {
  const pairs = Object.entries(record).map(([given, value]) => {
    const name = names[given] ?? given.replace(/AtMs$/, "At").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [name, given.endsWith("Ms") && typeof value === "number" ? isoTime(value) : value];
  });
  return Object.fromEntries(pairs) as Wired;
}
