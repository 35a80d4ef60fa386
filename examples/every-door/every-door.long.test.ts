/** Questions that every door asks, answered at once through several of them, while servers are killed. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { signedLinks } from "@millrace/server/webhooks";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime, type Runtime } from "millrace/runtime";
import { expect, it, onTestFinished } from "vitest";
import { killed } from "../../test-kill.js";
import { freePort } from "../../test-ports.js";
import { a2a, agui, type Begun, chat, type Door, doors, http, link, mcp } from "./doors.js";
import { refundFlow } from "./workflow.js";

const questions = Number(process.env["QUESTIONS"] ?? 40);
const atOnce = 16;
const killEveryMs = 4_000;
const program = fileURLToPath(new URL("server.ts", import.meta.url));

class Server {
  readonly origin: string;
  readonly #args: readonly string[];
  #child: ChildProcess | null = null;

  constructor(files: readonly string[], port: number) {
    this.origin = `http://127.0.0.1:${port}`;
    this.#args = ["--import", import.meta.resolve("tsx"), program, ...files, String(port)];
  }

  async start(): Promise<void> {
    this.#child = spawn(process.execPath, this.#args, { stdio: ["ignore", "pipe", "inherit"] });
    await once(this.#child.stdout as NonNullable<ChildProcess["stdout"]>, "data");
  }

  async kill(): Promise<void> {
    if (this.#child !== null) await killed(this.#child);
  }
}

/** From 0 to below `below`. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks one server after the other, until one of them has answered: one may be dead, or die. */
async function untilAnswered<Result>(
  servers: readonly Server[],
  work: (origin: string) => Promise<Result>,
  first: number,
) {
  for (let turn = first, tries = 0; ; turn++, tries++) {
    const { origin } = servers[turn % servers.length] as Server;
    try {
      return await work(origin);
    } catch (error) {
      if (tries > 60) throw error;
      await wait(100);
    }
  }
}

/** The doors by what was done to which run. */
async function auditOf({ audit }: Pick<Runtime, "audit">): Promise<Map<string, string[]>> {
  const done = new Map<string, string[]>();
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await audit.list({ limit: 1_000, ...(cursor !== undefined && { cursor }) });
    for (const { action, runId, by } of page.entries)
      done.set(`${action} ${runId}`, [...(done.get(`${action} ${runId}`) ?? []), by.door]);
    cursor = page.cursor;
  }
  return done;
}

async function promptOf(origin: string, runId: string): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    const response = await fetch(`${origin}/handlers/${encodeURIComponent(runId)}/prompts`);
    const { prompts = [] } = (await response.json()) as { prompts?: { prompt_id: string }[] };
    if (prompts[0] !== undefined) return prompts[0].prompt_id;
    await wait(50);
  }
  throw new Error(`run ${runId} asks nothing`);
}

it(`${questions} questions have one answer each, whoever asks and whoever answers`, { timeout: 900_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "every-door-"));
  const files = [join(folder, "runs.db"), join(folder, "effects.jsonl")] as const;
  writeFileSync(files[1], "");
  const servers = [new Server(files, await freePort()), new Server(files, await freePort())];
  onTestFinished(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    rmSync(folder, { recursive: true, force: true });
  });
  await Promise.all(servers.map((server) => server.start()));
  const random = randomOf(7);
  let isOver = false;
  let kills = 0;
  const killing = (async () => {
    while (!isOver) {
      await wait(killEveryMs);
      const victim = servers[kills++ % servers.length] as Server;
      await victim.kill();
      await victim.start();
    }
  })();

  const lines = (): { run: string; mail?: string; note?: string }[] =>
    readFileSync(files[1], "utf8")
      .split("\n")
      .filter((line) => line.endsWith("}")) // the last one may be half written
      .map((line) => JSON.parse(line));
  const begun: Begun[] = [];
  const refused: { readonly door: string; readonly status: number; readonly body: string }[] = [];

  async function ask(number: number): Promise<void> {
    const starters = doors.filter(({ begin }) => begin !== null);
    const starter = starters[random(starters.length)] as Door;
    const [at, shots] = [random(2), 2 + random(2)];
    const open = [http, link, mcp, ...([chat, agui, a2a].includes(starter) ? [starter] : [])];
    const chosen = Array.from({ length: shots }, () => open[random(open.length)] as Door);
    const order = Array.from({ length: shots }, () => random(2));
    const run = await untilAnswered(
      servers,
      (origin) => starter.begin?.(origin, `order ${number}`) as Promise<Begun>,
      at,
    );
    begun.push(run);
    const promptId = await untilAnswered(servers, (origin) => promptOf(origin, run.runId), at);
    let address: string | undefined;
    while (address === undefined) {
      address = lines().find((line) => line.run === run.runId && line.mail !== undefined)?.mail;
      if (address === undefined) await wait(50);
    }
    await Promise.all(
      chosen.map(async (door, index) => {
        const fields = { approved: true, note: `${door.name} ${index}` };
        const answer = { ...run, promptId, fields, link: address as string };
        const response = await untilAnswered(servers, (origin) => door.answer(origin, answer), order[index] as number);
        if (response.status >= 400)
          refused.push({ door: door.name, status: response.status, body: await response.text() });
        else await response.body?.cancel();
      }),
    );
  }

  let next = 0;
  try {
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (next < questions) await ask(next++);
      }),
    );
  } finally {
    isOver = true;
    await killing;
  }
  await Promise.all(servers.map((server) => server.kill()));

  const links = signedLinks({ url: "http://127.0.0.1/links", secrets: ["only for this example, of 32 characters"] });
  const runtime = createRuntime({ workflows: { refund: refundFlow(links, files[1]) }, store: sqliteStore(files[0]) });
  await wait(2_500); // the leases of the dead
  await runtime.start();
  const paid = new Map<string, string[]>();
  const winners = new Map<string, number>();
  // A request that a killed server had taken and not answered was sent again: it began a run of its own.
  const open = new Set<string>();
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await runtime.runs({ limit: 1_000, ...(cursor !== undefined && { cursor }) });
    for (const { runId, status } of page.runs) if (status === "waiting") open.add(runId);
    cursor = page.cursor;
  }
  const audit = await auditOf(runtime);
  for (const { runId } of begun) {
    expect([runId, open.has(runId)]).toEqual([runId, false]);
    const result = (await runtime.handle(runId)) as string;
    const answers = [];
    for await (const { tick } of runtime.history(runId))
      if (tick.type === "event.received" && tick.promptId !== null) answers.push(tick);
    const [{ by } = {}] = answers; // the first one counts; those that the run refused are in its journal, too
    expect([runId, result.split(" ")[0]]).toEqual([runId, by?.door]);
    expect([runId, audit.get(`start ${runId}`)?.length, audit.get(`answer ${runId}`)]).toEqual([runId, 1, [by?.door]]);
    winners.set(by?.door ?? "", (winners.get(by?.door ?? "") ?? 0) + 1);
    paid.set(runId, []);
  }
  for (const { run, note } of lines()) if (note !== undefined) paid.get(run)?.push(note);
  await runtime.stop();

  expect([...winners.keys()].sort()).toEqual(doors.map(({ name }) => name).sort());
  // A payment was made again only where a kill came between it and its record, with the same answer.
  const twice = [...paid.values()].filter((notes) => notes.length > 1);
  expect([...paid.values()].every((notes) => new Set(notes).size === 1)).toBe(true);
  expect(twice.length).toBeLessThanOrEqual(kills * atOnce);
  for (const { door, status, body } of refused.filter(({ door }) => door === "http" || door === "link")) {
    expect([door, status, body]).toEqual([
      door,
      expect.toBeOneOf([404, 409]),
      expect.stringMatching(/PROMPT_CLOSED|RUN_FINISHED/),
    ]);
    if (body.includes("PROMPT_CLOSED")) expect(body).toMatch(/"door":"(http|link|chat|agui|mcp|a2a)"/);
  }
  console.log({ questions, kills, winners: Object.fromEntries(winners), refused: refused.length, twice: twice.length });
});
