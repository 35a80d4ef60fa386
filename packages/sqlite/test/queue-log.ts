/** What the processes of one queue write down, and how many of their pieces of work were under way at once. */

export const queue = { concurrency: 4, perKey: { concurrency: 2 }, priority: true } as const;

/** Most are of one key. */
export const runsOfQueue = Array.from({ length: 60 }, (_, index) => {
  const key = index % 4 === 0 ? `key ${index % 5}` : "large";
  return { id: `run-${index}`, key, priority: index % 3 };
});

export interface QueueLog {
  /** `kill`: all that this process has under way is over. */
  readonly what: "begin" | "end" | "rest" | "kill";
  readonly pid: number;
  readonly id: string;
  readonly key: string;
  readonly part: 1 | 2;
}

export interface AtOnce {
  readonly total: number;
  readonly ofOneKey: number;
  /** Runs between their two pieces of work. */
  readonly resting: number;
  /** Pieces of work that came to their end, each counted once. */
  readonly done: number;
}

/** The most of each. */
export function atOnce(lines: readonly QueueLog[]): AtOnce {
  const underWay = new Map<string, QueueLog>();
  const resting = new Set<string>();
  const done = new Set<string>();
  const killed = new Set<number>();
  const most = { total: 0, ofOneKey: 0, resting: 0 };
  for (const line of lines) {
    const { what, pid, id, key, part } = line;
    if (what === "kill") {
      killed.add(pid);
      for (const [work, begun] of underWay) if (begun.pid === pid) underWay.delete(work);
    }
    if (killed.has(pid)) continue;
    const work = `${pid} ${id} ${part}`;
    if (what === "rest") resting.add(id);
    if (what === "begin") underWay.set(work, line);
    if (what === "begin" && part === 2) resting.delete(id);
    if (what === "end") {
      underWay.delete(work);
      done.add(`${id} ${part}`);
    }
    const ofKey = [...underWay.values()].filter((other) => other.key === key).length;
    most.total = Math.max(most.total, underWay.size);
    most.ofOneKey = Math.max(most.ofOneKey, ofKey);
    most.resting = Math.max(most.resting, resting.size);
  }
  return { ...most, done: done.size };
}
