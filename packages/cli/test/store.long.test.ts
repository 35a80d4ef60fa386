import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { joke } from "./support/flows.js";
import { createProject } from "./support/project.js";

it("checks, vacuums and retains a store, and moves a run to another one", async () => {
  const project = createProject({ "joke.ts": joke });
  await project.call("run", "joke.ts#JokeFlow", "-i", '{"topic":"b"}', "--id", "done");
  await project.call("run", "joke.ts#AskFlow", "--id", "open");

  const checked = await project.json<object>("store", "check");
  const nowhere = await project.call("store", "export", "open", "-o", "no/folder/open.jsonl");
  const exported = await project.call("store", "export", "open", "-o", "open.jsonl");
  const imported = await project.call("import", "open.jsonl", "--store", "other.db");
  const there = await project.json<object>("show", "open", "--store", "other.db");
  const retained = await project.json<object>("store", "retain", "--older-than", "1ms", "--status", "completed");
  const vacuumed = await project.call("store", "vacuum");
  const left = await project.json<{ runs: object[] }>("runs");

  expect(checked).toMatchObject({ runs: { completed: 1, waiting: 1 }, problems: [] });
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining("cannot be written: ENOENT") });
  expect(exported).toMatchObject({ code: 0, stderr: expect.stringContaining("millrace store release open") });
  expect(imported).toMatchObject({ code: 0, stdout: "open" });
  expect(there).toMatchObject({ run_id: "open", status: "waiting" });
  expect(retained).toMatchObject({ deleted: 1 });
  expect(vacuumed.code).toBe(0);
  expect(left.runs).toHaveLength(1);
});

it("says what is wrong with a store", async () => {
  const project = createProject({ "joke.ts": joke });
  writeFileSync(
    join(project.folder, "text.db"),
    "This is no database, but it is long enough to be looked at as one. ".repeat(20),
  );
  await project.call("run", "joke.ts#AskFlow", "--store", "newer.db");
  const database = new DatabaseSync(join(project.folder, "newer.db"));
  database.exec("PRAGMA user_version = 999");
  database.close();

  await project.call("run", "joke.ts#AskFlow", "--store", "refuses.db");
  const refusing = new DatabaseSync(join(project.folder, "refuses.db"));
  refusing.exec("CREATE TRIGGER refuse BEFORE INSERT ON runs BEGIN SELECT RAISE(ABORT, 'the disk is on fire'); END");
  refusing.close();

  const foreign = await project.call("runs", "--store", "text.db");
  const newer = await project.call("runs", "--store", "newer.db");
  const url = await project.call("runs", "--store", "mysql://db");
  const refused = await project.call("run", "joke.ts#AskFlow", "--store", "refuses.db");
  const age = await project.call("store", "retain", "--older-than", "1000", "--store", "refuses.db");

  expect(foreign).toMatchObject({ code: 1, stderr: expect.stringMatching(/^STORE_(FOREIGN|CORRUPT)/) });
  expect(newer).toMatchObject({ code: 1, stderr: expect.stringMatching(/^STORE_NEWER/) });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^STORE_FAILED .*on fire/m) });
  expect(refused.stderr).not.toContain("server's log");
  expect(age).toMatchObject({ code: 2, stderr: expect.stringContaining('`--older-than` is "1000"') });
  expect(url).toMatchObject({ code: 2, stderr: expect.stringContaining("OPTION_INVALID") });
});
