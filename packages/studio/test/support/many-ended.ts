/** Counts of many runs that have ended, in a SQLite file: to run each of them would take longer than all tests. */
import { sqliteStore } from "@millrace/sqlite";
import { durationRange } from "millrace/engine";
import type { Measure } from "millrace/runtime";

const EVERY_MS = 1_000;
const [invalid, reset] = [
  {
    step: "validate",
    code: null,
    message: "Row <number> of <number>: <value> is <number>, and has to be at least <number>.",
  },
  { step: "read", code: "ECONNRESET", message: "read ECONNRESET" },
] as const;

/** Runs of `import`, one a second until now; one in 25 has failed, in version 1.6.0 one in 10. */
export async function writeEnded(file: string, runs: number): Promise<void> {
  const store = sqliteStore(file);
  const nowMs = Date.now();
  const measures = Array.from({ length: runs }, (_, number) => measuresOf(number, nowMs - number * EVERY_MS)).flat();
  const key = { tenant: "", runId: "counted" };
  const record = {
    workflow: "import",
    input: "{}",
    code: "",
    createdAtMs: 1,
    startAtMs: 1,
    labels: {},
    forkedFrom: null,
  };
  const create = { ...record, queue: null, lease: null };
  await store.commit([{ key, create, owner: null, epoch: 0, measures }]);
  await store.delete([key]);
  await store.close();
}

function measuresOf(number: number, atMs: number): Measure[] {
  const version = number < 10_000 ? "1.6.0" : "1.5.0";
  const isFailed = number % (version === "1.6.0" ? 10 : 25) === 0;
  const took = 200 + ((number * 7_919) % 1_000) + (number % 97 === 0 ? 9_000 : 0);
  const common = { workflow: "import", version, atMs, failure: null } as const;
  const completed = { ...common, status: "completed", range: durationRange(took) } as const;
  if (!isFailed)
    return [
      ...Object.entries({ read: 0.1, validate: 0.7, load: 0.2 }).map(([step, share]): Measure => {
        return { ...completed, step, range: durationRange(took * share) };
      }),
      { ...completed, step: null },
    ];
  const kind = number % 3 === 0 ? reset : invalid;
  const failed = { ...common, status: "failed", range: durationRange(took / 2) } as const;
  const failure = { id: kind === invalid ? "0a1b2c3d4e5f6071" : "1b2c3d4e5f60710a", text: JSON.stringify(kind) };
  return [
    ...(kind.step === "validate" ? [{ ...completed, step: "read" }] : []),
    { ...failed, step: kind.step },
    { ...failed, step: null },
    { ...failed, step: kind.step, range: 0, failure },
  ];
}
