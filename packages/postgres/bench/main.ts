/**
 * The store as it is published (`dist`), and the same statements without it, on one server in turn.
 *
 *     pnpm --filter @millrace/postgres bench                  all
 *     pnpm --filter @millrace/postgres bench commits claims   some
 *     DATABASE_URL=postgres://… pnpm --filter …               on a server of yours
 */
import { availableParallelism } from "node:os";
import { Server } from "../test/support/server.ts";
import { type Found, table } from "./measure.ts";
import { measures } from "./measures.ts";

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in measures));
if (unknown.length > 0)
  throw new TypeError(`No measure ${unknown.join(", ")}: there are ${Object.keys(measures).join(", ")}`);

const given = process.env["DATABASE_URL"];
const server = given === undefined ? await Server.start(["shared_buffers=512MB", "max_wal_size=4GB"]) : null;
const rows: Found[] = [];
for (const [name, measure] of Object.entries(measures)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const found = await measure(given ?? (server as Server).url);
  rows.push(...found);
  console.log(table(found).split("\n").slice(2).join("\n"));
}
console.log(`\n${table(rows)}\n\n${availableParallelism()} cores, Node ${process.versions.node}`);
await server?.stop();
