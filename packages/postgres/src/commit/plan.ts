/**
 * Decides what a group of commits does, before or while their runs are locked: no I/O.
 *
 * A group is split into waves, each with at most one commit of a run, because a statement changes a row once.
 *
 * @module
 */
import { recordKeyOf } from "millrace/engine";
import type { CommitResult, RecordKey, RecordWrite, RunCommit, StoredRecord } from "millrace/runtime";
import type { RecordChange } from "../tables/records.js";
import { idOf, recordId } from "../text/values.js";

/** Facts that decide about the commits of a run. */
export interface HeldRun {
  /** Number of the run in this database. */
  readonly id: number;
  readonly owner: number | null;
  readonly epoch: number;
  readonly ticks: number;
}

/** Facts known about the database. */
export interface Knowledge {
  /** Returns the run; `null` if there is no such run. */
  run(id: string): HeldRun | null;
  /** Number of an owner. */
  owner(name: string): number;
  /** Version of a record; 0 if there is none. */
  version(record: RecordKey, expected: number): number;
  /** A number for a new run. */
  newId(): number;
}

/** A commit that is taken. */
export interface Taken {
  readonly commit: RunCommit;
  /** The run before and after it. Equal ids; before is null where the commit creates it. */
  readonly before: HeldRun | null;
  readonly after: HeldRun;
}

export interface Wave {
  readonly taken: Taken[];
  readonly records: readonly RecordChange[];
}

/** The run of a refused creation is read when all is written: it may be new. */
export type PlannedResult = Exclude<CommitResult, { readonly status: "exists" }> | { readonly status: "exists" };

export interface Plan {
  readonly results: readonly PlannedResult[];
  readonly waves: readonly Wave[];
  /** The runs of the group as they are once it is stored, by {@link idOf}. */
  readonly runs: ReadonlyMap<string, HeldRun>;
}

const stored: PlannedResult = { status: "stored" };
const fenced: PlannedResult = { status: "fenced" };

export function planGroup(commits: readonly RunCommit[], knowledge: Knowledge): Plan {
  const group = new Group(knowledge);
  const results = commits.map((commit) => group.take(commit));
  return { results, waves: group.waves(), runs: group.runs };
}

class Group {
  readonly runs = new Map<string, HeldRun>();
  readonly #knowledge: Knowledge;
  readonly #waves: { readonly taken: Taken[]; readonly records: Map<string, RecordChange> }[] = [];
  /** The wave of the last commit of each run. */
  readonly #waveOf = new Map<string, number>();
  readonly #records = new Map<string, StoredRecord | null>();

  constructor(knowledge: Knowledge) {
    this.#knowledge = knowledge;
  }

  take(commit: RunCommit): PlannedResult {
    const id = idOf(commit.key);
    const before = this.runs.get(id) ?? this.#knowledge.run(id);
    if (commit.create !== undefined) {
      if (before !== null) return { status: "exists" };
    } else if (!this.#isHeld(before, commit)) return fenced;
    if (commit.ticks !== undefined && commit.ticks.first !== (before?.ticks ?? 0) + 1) return fenced;
    const records = commit.records ?? [];
    const conflicts = records.filter((write) => this.#versionOf(write, write.expected) !== write.expected);
    if (conflicts.length > 0) return { status: "conflict", records: conflicts.map(recordKeyOf) };
    const after = this.#after(commit, before);
    this.runs.set(id, after);
    const wave = this.#waveFor(id, records.length > 0);
    wave.taken.push({ commit, before, after });
    for (const write of records) this.#write(wave.records, write);
    return stored;
  }

  waves(): Wave[] {
    return this.#waves.map(({ taken, records }) => ({ taken, records: [...records.values()] }));
  }

  #isHeld(run: HeldRun | null, { owner, epoch }: RunCommit): boolean {
    if (run === null || run.owner === null || owner === null) return false;
    return run.owner === this.#knowledge.owner(owner) && run.epoch === epoch;
  }

  #after(commit: RunCommit, before: HeldRun | null): HeldRun {
    const lease = commit.create?.lease ?? null;
    const owner = before === null && lease !== null ? this.#knowledge.owner(lease.owner) : (before?.owner ?? null);
    return {
      id: before?.id ?? this.#knowledge.newId(),
      owner: commit.release === true ? null : owner,
      epoch: before?.epoch ?? (lease === null ? 0 : 1),
      ticks: commit.ticks?.last ?? before?.ticks ?? 0,
    };
  }

  /** @param isLast Records are written in the order of the commits, so no commit with records goes before another. */
  #waveFor(id: string, isLast: boolean): { readonly taken: Taken[]; readonly records: Map<string, RecordChange> } {
    const least = (this.#waveOf.get(id) ?? -1) + 1;
    const at = isLast ? Math.max(least, this.#waves.length - 1) : least;
    let wave = this.#waves[at];
    if (wave === undefined) {
      wave = { taken: [], records: new Map() };
      this.#waves.push(wave);
    }
    this.#waveOf.set(id, at);
    return wave;
  }

  #versionOf(key: RecordKey, expected: number): number {
    const written = this.#records.get(recordId(key));
    if (written !== undefined) return written?.version ?? 0;
    return this.#knowledge.version(key, expected);
  }

  #write(changes: Map<string, RecordChange>, { expected, text, ...key }: RecordWrite): void {
    const id = recordId(key);
    const after = text === null ? null : { version: expected + 1, text };
    this.#records.set(id, after);
    changes.set(id, { key, before: changes.get(id)?.before ?? expected, after });
  }
}
