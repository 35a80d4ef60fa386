/**
 * What the processes of a soak note in files beside the database: one JSON line for each thing, appended with one `write`, so
 * that a killed process has noted it or not.
 *
 * @module
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CommitResult } from "millrace/runtime";

export interface NoteKinds {
  /** A commit with ticks, before the store has it, and what became of it. */
  readonly commits: {
    readonly pid: number;
    readonly runId: string;
    readonly owner: string | null;
    readonly epoch: number;
    readonly first: number;
    readonly last: number;
    readonly status: "asked" | CommitResult["status"];
  };
  /** A side effect has happened. */
  readonly effects: {
    readonly runId: string;
    readonly key: string;
    readonly token: string;
  };
  /** The caller has got the receipt of its event. */
  readonly receipts: {
    readonly runId: string;
    readonly event: string;
  };
  /** What the runtime logged. */
  readonly errors: { readonly pid: number; readonly text: string };
}

export class Notes {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  add<Kind extends keyof NoteKinds>(kind: Kind, ...notes: readonly NoteKinds[Kind][]): void {
    if (notes.length > 0) appendFileSync(this.#pathOf(kind), notes.map((note) => `${JSON.stringify(note)}\n`).join(""));
  }

  all<Kind extends keyof NoteKinds>(kind: Kind): NoteKinds[Kind][] {
    const path = this.#pathOf(kind);
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as NoteKinds[Kind]);
  }

  #pathOf(kind: keyof NoteKinds): string {
    return join(this.#directory, `${kind}.jsonl`);
  }
}

export function notesBy<Note>(notes: readonly Note[], keyOf: (note: Note) => string): Map<string, Note[]> {
  const groups = new Map<string, Note[]>();
  for (const note of notes) {
    const group = groups.get(keyOf(note));
    if (group === undefined) groups.set(keyOf(note), [note]);
    else group.push(note);
  }
  return groups;
}
