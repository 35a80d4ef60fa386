/** An import: rows are read page by page, stored eight at a time, and tried again. Bad rows are listed, and the rest is imported. */
import {
  type Context,
  collect,
  event,
  keyed,
  many,
  retryPolicy,
  type Settled,
  StartEvent,
  StopEvent,
  step,
  stop,
  Workflow,
  wait,
} from "millrace";
import * as z from "zod";

const Row = z.object({ sku: z.string(), price: z.number() });
type Row = z.output<typeof Row>;

/** Where rows come from and go to. */
export interface Catalogue {
  /** `null` after the last page. */
  page(number: number): Promise<readonly unknown[] | null>;
  store(row: Row, idempotencyKey: string): Promise<void>;
}

class Import extends StartEvent.define("Import", { source: z.string().default("supplier") }) {}
class Found extends event("Found", { number: z.number(), row: z.unknown() }) {}
class Stored extends event("Stored", { sku: z.string() }) {}
class Imported extends StopEvent.define("Imported", { stored: z.number(), bad: z.array(z.string()) }) {}

const patient = retryPolicy({ wait: wait.exponential({ initial: "1s", max: "1m" }), stop: stop.afterAttempts(3) });

export function nightlyImport(catalogue: Catalogue) {
  class NightlyImport extends Workflow {
    /** Each page is read once. The next is read while fewer than 100 rows are unfinished. */
    @step({ on: Import, emits: many(Found) })
    async *read(_ev: Import, ctx: Context) {
      for (let number = 0; ; number++) {
        const rows = await ctx.run(`page ${number}`, () => catalogue.page(number));
        if (rows === null) return;
        for (const [index, row] of rows.entries()) {
          yield keyed(`${number}/${index}`, new Found({ number: number * 1_000 + index, row }));
        }
      }
    }

    @step({ on: Found, emits: Stored, workers: 8, retry: patient })
    async store({ row }: Found, ctx: Context) {
      const good = Row.parse(row);
      await ctx.run("store", ({ idempotencyKey }) => catalogue.store(good, idempotencyKey));
      return new Stored({ sku: good.sku });
    }

    @step({ on: collect(Stored, { settle: true }), emits: Imported })
    report(all: readonly Settled<Stored>[]) {
      const bad = all.flatMap((one) =>
        one.status === "failed" ? [`row ${one.index + 1}: ${messageOf(one.failure.error)}`] : [],
      );
      return new Imported({ stored: all.filter(({ status }) => status === "ok").length, bad });
    }
  }

  return NightlyImport;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\s+/g, " ").slice(0, 200) : String(error);
}

/** Stands in for a supplier and a database. */
const NightlyImport = nightlyImport({
  page: async (number) =>
    number < 3 ? Array.from({ length: 20 }, (_, index) => ({ sku: `S-${number}-${index}`, price: 5 })) : null,
  store: async () => {},
});
export const nightly = new NightlyImport();
