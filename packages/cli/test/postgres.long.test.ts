import { expect, it } from "vitest";
import { Server } from "../../postgres/test/support/server.js";
import { joke } from "./support/flows.js";
import { createProject } from "./support/project.js";

it("works on the runs of a PostgreSQL database", async () => {
  await using server = await Server.start(["fsync=off"]);
  const project = createProject({ "joke.ts": joke });
  const store = ["--store", server.url];

  const ran = await project.call("run", "joke.ts#AskFlow", "--id", "a-1", ...store);
  const answered = await project.call("answer", "a-1", "-i", '{"approved":true}', ...store);
  const listed = await project.call("runs", ...store);
  const vacuumed = await project.call("store", "vacuum", ...store);

  expect(ran).toMatchObject({ code: 0, stderr: `Answer with: millrace answer a-1 --store ${server.url}\n` });
  expect(answered).toMatchObject({ code: 0, stdout: expect.stringContaining('"approved": true') });
  expect(listed.stdout).toMatch(/^a-1 {2}AskFlow {2}completed /);
  expect(vacuumed).toMatchObject({ code: 1, stderr: expect.stringContaining("STORE_UNSUPPORTED") });
});
