/** A store that notes who commits what, before and after, and whose process may die at a given commit. */
import { wrapStore } from "millrace/engine";
import type { CommitResult, RunCommit, RunStore } from "millrace/runtime";
import type { NoteKinds, Notes } from "./notes.js";

/** A moment that a signal from outside hits too rarely. */
export interface Death {
  readonly at: "before commit" | "after commit" | "in effect";
  /** The how manieth one, from 1. */
  readonly count: number;
}

/** Kills this process, at once, when its time has come. */
export class Mortality {
  readonly #death: Death | null;
  #count = 0;

  constructor(death: Death | null) {
    this.#death = death;
  }

  reach(at: Death["at"]): void {
    if (this.#death?.at === at && ++this.#count === this.#death.count) process.kill(process.pid, "SIGKILL");
  }
}

export function notedStore(store: RunStore, notes: Notes, mortality: Mortality): RunStore {
  const commit = async (commits: readonly RunCommit[]): Promise<CommitResult[]> => {
    notes.add("commits", ...notesOf(commits, () => "asked"));
    mortality.reach("before commit");
    const results = await store.commit(commits);
    mortality.reach("after commit");
    notes.add("commits", ...notesOf(commits, (index) => results[index]?.status ?? "fenced"));
    return results;
  };
  return wrapStore(store, (name, method) => (name === "commit" ? commit : method));
}

type CommitNote = NoteKinds["commits"];

function notesOf(commits: readonly RunCommit[], statusOf: (index: number) => CommitNote["status"]): CommitNote[] {
  return commits.flatMap(({ key, owner, epoch, ticks }, index) => {
    if (ticks === undefined) return [];
    const { first, last } = ticks;
    return [{ pid: process.pid, runId: key.runId, owner, epoch, first, last, status: statusOf(index) }];
  });
}
