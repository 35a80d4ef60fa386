/** The same driver and the same settings without Millrace. Gives milliseconds. */
import { type BareDatabase, openBare, withFile } from "./files.ts";
import { assertCount, type Driver, msOf } from "./measure.ts";

/** As long as what a step of the chain stores. */
const tick = JSON.stringify([
  {
    type: "step.completed",
    atMs: 1_790_000_000_000,
    item: 100,
    attempt: 1,
    output: { type: "Next", fields: { left: 100 } },
    sends: null,
  },
]);

/** One row per transaction. */
export function bareCommits(driver: Driver, synchronous: "NORMAL" | "FULL", count: number): Promise<number> {
  return withFile(async (path) => {
    const database = openBare(driver, path, synchronous);
    database.exec("CREATE TABLE ticks (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
    const add = database.prepare("INSERT INTO ticks (text) VALUES (?)");
    let last = 0;
    const ms = await msOf(() => {
      for (let index = 0; index < count; index++) last = Number(add.run(tick).lastInsertRowid);
    });
    database.close();
    assertCount("rows", last, count);
    return ms;
  });
}

/** What a program without a library does: a row for the run, one for what each step has given, and the result. */
export function bareRuns(
  driver: Driver,
  synchronous: "NORMAL" | "FULL",
  { runs, lanes }: { readonly runs: number; readonly lanes: number },
): Promise<number> {
  return withFile(async (path) => {
    const database = openBare(driver, path, synchronous);
    const run = chainByHand(database);
    let left = runs;
    let ended = 0;
    const lane = async (): Promise<void> => {
      while (left-- > 0) if ((await run()) === 0) ended++;
    };
    const ms = await msOf(() => Promise.all(Array.from({ length: lanes }, lane)));
    database.close();
    assertCount("runs by hand", ended, runs);
    return ms;
  });
}

function chainByHand(database: BareDatabase): () => Promise<number> {
  database.exec(`
    CREATE TABLE runs (id INTEGER PRIMARY KEY, status TEXT NOT NULL, input TEXT NOT NULL, result TEXT);
    CREATE TABLE steps (run INTEGER NOT NULL, position INTEGER NOT NULL, output TEXT NOT NULL,
      PRIMARY KEY (run, position)) WITHOUT ROWID;
  `);
  const addRun = database.prepare("INSERT INTO runs (status, input) VALUES ('running', ?)");
  const addStep = database.prepare("INSERT INTO steps (run, position, output) VALUES (?, ?, ?)");
  const end = database.prepare("UPDATE runs SET status = 'completed', result = ? WHERE id = ?");
  const step = async (left: number): Promise<number> => left - 1;
  return async () => {
    let left = 3;
    const id = Number(addRun.run(JSON.stringify({ left })).lastInsertRowid);
    for (let position = 1; position <= 3; position++) {
      left = await step(left);
      addStep.run(id, position, JSON.stringify({ type: "Next", left }));
    }
    end.run(JSON.stringify({ left }), id);
    return left;
  };
}
