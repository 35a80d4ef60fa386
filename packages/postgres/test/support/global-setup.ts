import type { TestProject } from "vitest/node";
import { Server } from "./server.js";

/** One server for all tests: that of `DATABASE_URL`, else one that is started here. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["DATABASE_URL"];
  const server = given === undefined ? await Server.start(["fsync=off"]) : null;
  project.provide("databaseUrl", given ?? (server as Server).url);
  return async () => server?.stop();
}

declare module "vitest" {
  export interface ProvidedContext {
    databaseUrl: string;
  }
}
