/**
 * How many runs there are.
 *
 * A store reads an index entry for each run that it counts, so that the answer is kept for a second, for each tenant and filter. Who
 * asks while it is counted gets the same answer.
 *
 * @module
 */

import type { RunCount, Runtime } from "millrace/runtime";
import type { AllCountsRecord, CountsRecord } from "millrace/wire";
import { nowMs } from "../system.js";
import { openStatus } from "../wire/handler-record.js";
import { labelsOf } from "../wire/matches-filter.js";
import type { CountQuery } from "../wire/schemas.js";

const keptMs = 1_000;
/** Above this number, expired answers are dropped, and then all. */
const mostKept = 1_000;

interface Kept {
  readonly untilMs: number;
  readonly counts: Promise<AllCountsRecord>;
}

export class RunCounts {
  readonly #runtime: Runtime;
  readonly #kept: Map<string, Kept> = new Map();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  of(
    tenant: string,
    { workflow_name: names, label = [] }: CountQuery = { workflow_name: undefined, label: undefined },
  ): Promise<AllCountsRecord> {
    const key = JSON.stringify([tenant, names === undefined ? null : [...names].sort(), [...label].sort()]);
    const known = this.#kept.get(key);
    if (known !== undefined && known.untilMs > nowMs()) return known.counts;
    const counts = this.#count(tenant, { names, label });
    this.#makeRoom();
    const kept = { untilMs: nowMs() + keptMs, counts };
    this.#kept.set(key, kept);
    counts.catch(() => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
    });
    return counts;
  }

  async #count(
    tenant: string,
    { names, label }: { readonly names: readonly string[] | undefined; readonly label: readonly string[] },
  ): Promise<AllCountsRecord> {
    const labels = labelsOf(label);
    if (labels === null) return allOf([]);
    const filter = {
      tenant,
      ...(label.length > 0 && { labels }),
      ...(names?.length === 1 && { workflow: names[0] as string }),
    };
    const found = await this.#runtime.counts(filter);
    return allOf(found.filter(({ workflow }) => names === undefined || names.includes(workflow)));
  }

  #makeRoom(): void {
    if (this.#kept.size < mostKept) return;
    for (const [key, { untilMs }] of this.#kept) if (untilMs <= nowMs()) this.#kept.delete(key);
    if (this.#kept.size >= mostKept) this.#kept.clear();
  }
}

interface Tally {
  total: number;
  readonly status: Record<keyof CountsRecord["status"], number>;
}

export function noCounts(): Tally {
  return { total: 0, status: { running: 0, waiting: 0, queued: 0, completed: 0, failed: 0, cancelled: 0 } };
}

function allOf(found: readonly RunCount[]): AllCountsRecord {
  const all = noCounts();
  const byWorkflow = new Map<string, Tally>();
  for (const { workflow, status, count } of found) {
    const own = byWorkflow.get(workflow) ?? noCounts();
    byWorkflow.set(workflow, own);
    for (const counts of [all, own]) {
      counts.total += count;
      counts.status[openStatus(status)] += count;
    }
  }
  const workflows = [...byWorkflow].map(([workflow_name, counts]) => ({ workflow_name, ...counts }));
  return { ...all, workflows: workflows.sort((one, other) => (one.workflow_name < other.workflow_name ? -1 : 1)) };
}
