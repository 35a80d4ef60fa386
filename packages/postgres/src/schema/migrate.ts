import { WorkflowError } from "millrace";
import { storeNewer } from "millrace/engine";
import { quoted, type Session } from "../connection/session.js";
import { damaged } from "../store-error.js";
import { hashOf } from "../text/values.js";
import { migrations } from "./schema.js";

const state = `SELECT current_setting('server_encoding') AS encoding,
  (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')) AS tables,
  EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relname = 'millrace_version') AS ours`;

/**
 * Migrates the schema to the newest version. Of several processes that do so at once, one does it and the others wait.
 *
 * @throws {WorkflowError} `STORE_FOREIGN`, `STORE_NEWER`, `STORE_CORRUPT`.
 */
export async function migrate(session: Session, path: string, steps: readonly string[] = migrations): Promise<void> {
  if ((await versionOf(session, path, steps.length)) === steps.length) return;
  // The lock belongs to the transaction, not to the session: behind a pooler, the session is not ours.
  const lock = hashOf(`millrace ${path}`).readBigInt64BE();
  await session.run(`BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(${lock})`);
  try {
    const version = await versionOf(session, path, steps.length);
    for (const [index, step] of steps.entries()) {
      if (index < version) continue;
      if (index === 0) await begin(session, path);
      await session.run(`${step}; UPDATE @millrace_version SET version = ${index + 1}`);
    }
    await session.run("COMMIT");
  } catch (error) {
    await session.run("ROLLBACK");
    throw error;
  }
}

async function begin(session: Session, path: string): Promise<void> {
  // Even `IF NOT EXISTS` asks for the right to create a schema, which the owner of a schema may not have.
  const [schema] = await session.all("SELECT 1 FROM pg_namespace WHERE nspname = $1", [path]);
  if (schema === undefined) await session.run(`CREATE SCHEMA ${quoted(path)}`);
  await session.run(
    "CREATE TABLE @millrace_version (version bigint NOT NULL); INSERT INTO @millrace_version VALUES (0)",
  );
}

async function versionOf(session: Session, path: string, newest: number): Promise<number> {
  const [found] = await session.all(state, [path]);
  if (found?.["encoding"] !== "UTF8") throw notUnicode(path, String(found?.["encoding"]));
  if (found["ours"] !== true) {
    if (found["tables"] !== 0) throw foreign(path);
    return 0;
  }
  const rows = await session.all("SELECT version FROM @millrace_version", []);
  const version = rows[0]?.["version"];
  if (rows.length !== 1 || typeof version !== "number" || version < 1)
    throw damaged(path, "its table `millrace_version` has no version");
  if (version > newest) throw storeNewer("postgres", { path, version, newest });
  return version;
}

function foreign(path: string): WorkflowError {
  return new WorkflowError({
    code: "STORE_FOREIGN",
    message: `The schema "${path}" has tables of another program.`,
    hint: "Use a separate schema for Millrace: set `schema`.",
    details: { path },
  });
}

function notUnicode(path: string, encoding: string): WorkflowError {
  return new WorkflowError({
    code: "STORE_FAILED",
    message: `The store "${path}": the encoding of the database is ${encoding}, not UTF8.`,
    hint: "Create the database with ENCODING 'UTF8'.",
    details: { path, encoding },
  });
}
