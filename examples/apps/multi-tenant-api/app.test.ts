import { createClient } from "@millrace/client";
import { memoryStore } from "millrace/runtime";
import { afterAll, expect, it } from "vitest";
import { type Access, type Approval, createApi } from "./app.js";

const access: readonly Access[] = [
  { token: "token-of-ada", tenant: "acme", user: "ada", role: "clerk" },
  { token: "token-of-bob", tenant: "acme", user: "bob", role: "approver" },
  { token: "token-of-gus", tenant: "globex", user: "gus", role: "approver" },
];
const { runtime, app } = createApi(memoryStore(), access);
await runtime.start();
afterAll(() => runtime.stop());

const as = (user: string) =>
  createClient<{ approval: Approval }>({
    baseUrl: "http://api.test",
    headers: { authorization: `Bearer token-of-${user}` },
    fetch: async (...request) => app.fetch(new Request(...request)),
  });

it("lets a clerk start, and an approver of the same company answer", async () => {
  const run = as("ada").run("approval", { number: "R-1", cents: 4_200 }, { handlerId: "R-1" });
  await run.idle();
  const [prompt] = await as("bob").handle("R-1").prompts();
  await expect(
    as("ada")
      .handle("R-1")
      .answer(prompt?.promptId ?? "", { approved: true }),
  ).rejects.toMatchObject({
    code: "FORBIDDEN",
  });
  await as("bob")
    .handle("R-1")
    .answer(prompt?.promptId ?? "", { approved: true });

  expect(await run).toBe("paid");
});

it("shows a company no run of another one", async () => {
  await as("ada").run("approval", { number: "R-2", cents: 1 }, { handlerId: "R-2" }).idle();

  await expect(as("gus").handle("R-2").summary()).rejects.toMatchObject({ code: "RUN_UNKNOWN" });
  expect((await as("gus").runs()).runs).toEqual([]);
});

it("refuses a start without the right, and an invoice that is none", async () => {
  await expect(as("bob").run("approval", { number: "R-3", cents: 1 }).accepted).rejects.toMatchObject({
    code: "FORBIDDEN",
  });
  await expect(as("ada").run("approval", { number: "R-3", cents: -1 }).accepted).rejects.toMatchObject({
    code: "EVENT_INVALID",
  });
});
