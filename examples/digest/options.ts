/**
 * The command line.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { UserError } from "./user-error.js";

export const usage = `Digests Markdown and text files: summarises their sections, asks which topics to keep, writes digest.md.

  npm start -- [file or folder …]    reads them, asks, and stops. Default: the documentation of this repository
  npm start -- --keep 1,3            goes on with topics 1 and 3 (or: --keep all)
  npm start                          the same, and asks you here

  --fresh    forgets the digest that waits
  --pause    stops after asking, also without a terminal, where it would answer itself
  --help     shows this text`;

export interface Options {
  /** Files and folders, as they were typed. Empty: the default. */
  readonly paths: readonly string[];
  /** Positions of topics, from 1. */
  readonly keep: readonly number[] | "all" | null;
  readonly fresh: boolean;
  readonly pause: boolean;
  readonly help: boolean;
}

export function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = parse(args);
  const { keep, fresh = false, pause = false, help = false } = values;
  return { paths: positionals, keep: keep === undefined ? null : parseKeep(keep), fresh, pause, help };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        keep: { type: "string" },
        fresh: { type: "boolean" },
        pause: { type: "boolean" },
        help: { type: "boolean" },
      },
    });
  } catch (error) {
    throw new UserError(`${(error as Error).message.split(".")[0]}. See --help.`);
  }
}

/** @throws {UserError} for anything but `all` and a list such as `1,3`. */
export function parseKeep(text: string): readonly number[] | "all" {
  if (text.trim() === "all") return "all";
  const numbers = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(Number);
  if (numbers.length === 0 || !numbers.every((number) => Number.isInteger(number) && number > 0)) {
    throw new UserError(`"${text}" does not say which topics to keep: give their numbers, such as 1,3, or all.`);
  }
  return numbers;
}
