/** The peer: 12 MB that nothing but this benchmark needs, so they are fetched when it is first asked for. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { fetchInto, tools } from "../test/support/binaries.ts";

const version = "5.3.0";
const name = "@dbos-inc/dbos-sdk";

interface Dbos {
  setConfig(config: { readonly [option: string]: unknown }): void;
  registerWorkflow(work: (n: number) => Promise<number>, of: { name: string }): (n: number) => Promise<number>;
  runStep(work: () => Promise<number>, of: { name: string }): Promise<number>;
  launch(): Promise<void>;
  shutdown(): Promise<void>;
}

export interface Launched {
  run(n: number): Promise<number>;
  close(): Promise<void>;
}

/** DBOS in this process, with a database of its own on the server. */
export async function launchDbos(url: string): Promise<Launched> {
  const folder = join(tools, `dbos-${version}`);
  const entry = join(folder, "node_modules", name, "dist/src/index.js");
  if (!existsSync(entry)) fetchInto(folder, `${name}@${version}`, "DBOS for the benchmark (12 MB)");
  const { DBOS } = (await import(pathToFileURL(entry).href)) as { readonly DBOS: Dbos };
  const database = `millrace_bench_dbos_${process.pid}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${database}`);
  const place = new URL(url);
  place.pathname = database;
  DBOS.setConfig({ name: "bench", systemDatabaseUrl: place.href, logLevel: "error", runAdminServer: false });
  const step = (n: number, of: string): Promise<number> => DBOS.runStep(async () => n + 1, { name: of });
  const run = DBOS.registerWorkflow(async (n) => step(await step(await step(n, "a"), "b"), "c"), { name: "three" });
  await DBOS.launch();
  return {
    run: (n) => run(n), // DBOS would take an object that has it for one of its own
    async close() {
      await DBOS.shutdown();
      await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
      await admin.end();
    },
  };
}
