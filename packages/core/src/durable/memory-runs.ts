import { countWhile, type MemoryRun } from "./memory-run.js";
import type { RunKey, RunPage, RunQuery } from "./run-store.types.js";
import { checkPageLimit, decodePageCursor, encodePageCursor, type PagePosition } from "./store-kit.js";

interface Tenant {
  readonly byId: Map<string, MemoryRun>;
  /** Oldest first. Those that were removed stay until they are half of it. */
  sorted: MemoryRun[];
}

/** The runs of all tenants, by key and by age. */
export class MemoryRuns {
  readonly #tenants = new Map<string, Tenant>();

  get(key: RunKey): MemoryRun | undefined {
    return this.#tenants.get(key.tenant)?.byId.get(key.runId);
  }

  add(run: MemoryRun): void {
    const { tenant: name, runId } = run.row.key;
    let tenant = this.#tenants.get(name);
    if (tenant === undefined) {
      tenant = { byId: new Map(), sorted: [] };
      this.#tenants.set(name, tenant);
    }
    tenant.byId.set(runId, run);
    tenant.sorted.splice(countBelow(tenant.sorted, placeOf(run)), 0, run);
  }

  remove(run: MemoryRun): void {
    const tenant = this.#tenants.get(run.row.key.tenant);
    if (tenant === undefined) return;
    tenant.byId.delete(run.row.key.runId);
    run.removed = true;
    if (tenant.byId.size === 0) this.#tenants.delete(run.row.key.tenant);
    else if (tenant.sorted.length > 2 * tenant.byId.size) {
      tenant.sorted = tenant.sorted.filter((other) => !other.removed);
    }
  }

  tenants(): string[] {
    return [...this.#tenants.keys()];
  }

  page(query: RunQuery): RunPage {
    const sorted = this.#tenants.get(query.tenant)?.sorted ?? [];
    const limit = checkPageLimit(query.limit);
    const found: MemoryRun[] = [];
    for (let index = startOf(sorted, query) - 1; index >= 0; index--) {
      const run = sorted[index] as MemoryRun;
      if (query.createdAfterMs !== undefined && run.row.createdAtMs <= query.createdAfterMs) break;
      if (run.removed || !matches(run, query)) continue;
      if (found.length === limit) return { runs: stored(found), cursor: cursorAfter(found) };
      found.push(run);
    }
    return { runs: stored(found), cursor: null };
  }
}

const placeOf = (run: MemoryRun): PagePosition => ({ createdAtMs: run.row.createdAtMs, id: run.number });
const stored = (runs: readonly MemoryRun[]): RunPage["runs"] => runs.map((run) => run.toStored());

function countBelow(sorted: readonly MemoryRun[], place: PagePosition): number {
  return countWhile(sorted, (run) => {
    const { createdAtMs } = run.row;
    return createdAtMs === place.createdAtMs ? run.number < place.id : createdAtMs < place.createdAtMs;
  });
}

/** How many of the runs come after the cursor's run, and were created early enough. */
function startOf(sorted: readonly MemoryRun[], { cursor, createdBeforeMs }: RunQuery): number {
  const afterCursor = cursor === undefined ? sorted.length : countBelow(sorted, decodePageCursor(cursor));
  if (createdBeforeMs === undefined) return afterCursor;
  return Math.min(
    afterCursor,
    countWhile(sorted, (run) => run.row.createdAtMs < createdBeforeMs),
  );
}

function matches(run: MemoryRun, query: RunQuery): boolean {
  if (query.workflow !== undefined && run.row.workflow !== query.workflow) return false;
  if (query.queue !== undefined && run.row.queue?.name !== query.queue) return false;
  if (query.status !== undefined && !query.status.includes(run.row.status)) return false;
  if (query.endedBeforeMs !== undefined && (run.row.endedAtMs === null || run.row.endedAtMs >= query.endedBeforeMs))
    return false;
  return Object.entries(query.labels ?? {}).every(([name, value]) => run.row.labels[name] === value);
}

function cursorAfter(page: readonly MemoryRun[]): string | null {
  const last = page.at(-1);
  return last === undefined ? null : encodePageCursor(placeOf(last));
}
