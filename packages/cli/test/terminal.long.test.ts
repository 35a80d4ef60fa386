/** What a person sees and types, in a real terminal. */
import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { joke, order, slow } from "./support/flows.js";
import { createProject } from "./support/project.js";
import { inTerminal } from "./support/pty.js";

it("draws the steps in place, and asks what a prompt wants", async () => {
  const project = createProject({ "order.ts": order });
  const terminal = inTerminal(project.folder, ["run", "order.ts"]);

  await terminal.shows("approved");
  terminal.type("y");
  await terminal.shows(/by, may be left empty/);
  terminal.type("\r");
  const code = await terminal.ended();

  expect(code).toBe(0);
  expect(terminal.text()).toMatch(/✔ price {2}×2 {2}2 completed/);
  expect(terminal.text()).toContain("euros: 6");
  expect(terminal.text()).toMatch(/completed after .*\n6\n/);
  expect(terminal.written()).toContain("\x1b[?25h"); // the cursor is there again
});

it("asks which workflow, and for the input that it needs", async () => {
  const project = createProject({ "joke.ts": joke });
  const terminal = inTerminal(project.folder, ["run", "joke.ts"]);

  await terminal.shows("Which workflow?");
  terminal.type("\r");
  await terminal.shows("topic");
  terminal.type("pirate\r");
  await terminal.shows("words, default 3");
  terminal.type("\r");

  expect(await terminal.ended()).toBe(0);
  expect(terminal.text()).toMatch(/\n26\n/);
});

it("asks for dates and times, and says at once what is none", async () => {
  const project = createProject({
    "trip.ts": `import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import * as z from "zod";
class Trip extends StartEvent.define("Trip", { day: z.iso.date(), at: z.iso.datetime().optional() }) {}
export const trip = defineWorkflow("trip")
  .step("book", { on: Trip, emits: StopEvent }, ({ day, at }) => new StopEvent({ result: [day, at ?? "any time"] }))
  .build();
`,
  });
  const terminal = inTerminal(project.folder, ["run", "trip.ts"]);

  await terminal.shows("day, as 2026-11-29");
  terminal.type("2026-02-30\r");
  await terminal.shows("Not a date. Write it as 2026-11-29.");
  terminal.type("\x7f\x7f28\r");
  await terminal.shows("at, may be left empty, as 2026-11-29T14:30:00Z");
  terminal.type("\r");

  expect(await terminal.ended()).toBe(0);
  expect(terminal.text()).toMatch(/"2026-02-28",\s+"any time"/);
});

it("asks for a Date, fields in an object, and texts one by one", async () => {
  const project = createProject({
    "trip.ts": `import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import * as z from "zod";
class Trip extends StartEvent.define("Trip", {
  leaves: z.date(),
  back: z.date().nullable(),
  to: z.object({ city: z.string(), days: z.int() }),
  hotel: z.object({ name: z.string() }).optional(),
  tags: z.array(z.string()).min(1),
}) {}
export const trip = defineWorkflow("trip")
  .step("book", { on: Trip, emits: StopEvent }, ({ leaves, back, to, hotel = null, tags }) =>
    new StopEvent({ result: [leaves.getTime(), back?.getTime() ?? "stays", to.city, to.days, hotel, tags].join() }))
  .build();
`,
  });
  const terminal = inTerminal(project.folder, ["run", "trip.ts"]);

  await terminal.shows("leaves, as 2026-11-29 or 2026-11-29T14:30:00Z");
  terminal.type("tomorrow\r");
  await terminal.shows("Not a date. Write it as 2026-11-29 or");
  terminal.type(`${"\x7f".repeat(8)}1970-01-02\r`);
  await terminal.shows("back, may be left empty, as 2026-11-29 or");
  terminal.type("\r");
  await terminal.shows("to.city");
  terminal.type("Oslo\r");
  await terminal.shows("to.days");
  terminal.type("3\r");
  await terminal.shows("hotel, may be left empty: fill it in?");
  terminal.type("\r");
  await terminal.shows("tags, text 1");
  terminal.type("\r");
  await terminal.shows("A text is needed.");
  terminal.type("a, b\r");
  await terminal.shows("tags, text 2, empty to end");
  terminal.type("\r");

  expect(await terminal.ended()).toBe(0);
  expect(terminal.text()).toContain("86400000,stays,Oslo,3,,a, b");

  const input = '{"leaves":"1970-01-02","back":"1970-01-03T00:00:00Z","to":{"city":"Rom","days":1},"tags":["a"]}';
  const given = await project.call("run", "trip.ts", "--input", input);
  expect(given).toMatchObject({ code: 0, stdout: expect.stringContaining("86400000,172800000,Rom,1,,a") });
});

/** The descriptions and choices of its form write to the clipboard, set the title, clear the screen and reverse a text. */
const hostileFlow = String.raw`
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import * as z from "zod";
const hostile = "\u001b]52;c;aGk=\u0007\u001b]0;title\u0007\u001b[2J\u009b2J\u202egnp";
class Begin extends StartEvent.define("Begin", {
  kind: z.enum(["one" + hostile, "two"]).describe("pick" + hostile),
  many: z.array(z.enum(["three" + hostile, "four"])),
  ["by" + hostile]: z.string().describe("say" + hostile).default("nobody" + hostile),
  needed: z.string(),
}) {}
export const hostileFlow = defineWorkflow("HostileFlow")
  .step("say", { on: Begin, emits: StopEvent }, ({ kind }) => new StopEvent({ result: kind }))
  .build();
`;

it("lets no description and no choice of a schema command the terminal", async () => {
  const project = createProject({ "hostile.ts": hostileFlow });
  const terminal = inTerminal(project.folder, ["run", "hostile.ts"]);

  await terminal.shows(/pick/);
  terminal.type("\r");
  await terminal.shows(/three/);
  terminal.type(" \r");
  await terminal.shows(/say/);
  terminal.type("\r");
  await terminal.shows(/needed/);
  terminal.type("x\r");
  const code = await terminal.ended();

  expect(code).toBe(0);
  for (const command of ["\u001b]", "\u001b[2J", "\u009b", "\u0007", "\u202e"])
    expect(terminal.written()).not.toContain(command);
  expect(terminal.text()).toContain("]52;c;aGk=");
});

it("pauses with Ctrl-C, and goes on in another process", async () => {
  const project = createProject({ "slow.ts": slow });
  const terminal = inTerminal(project.folder, ["run", "slow.ts", "--id", "s-1"]);

  await terminal.shows(/second/);
  terminal.type("\x03");
  const code = await terminal.ended();
  project.write("go", "");
  const resumed = await project.call("resume", "s-1");

  expect(code).toBe(130);
  expect(terminal.text()).toContain("Paused. Continue with: millrace resume s-1");
  expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('"version 1"') });
  expect(resumed.stdout).not.toContain("first"); // that step is done
});

it("says after Ctrl-C that the run has ended, where its last step ended meanwhile", async () => {
  const project = createProject({ "slow.ts": slow });
  const terminal = inTerminal(project.folder, ["run", "slow.ts", "--id", "s-1"]);

  await terminal.shows(/second/);
  terminal.type("\x03");
  project.write("go", "");
  const code = await terminal.ended();
  const shown = await project.call("show", "s-1");

  expect(code).toBe(130);
  expect(terminal.text()).toContain("It ended meanwhile: completed. Look with: millrace show s-1");
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('"version 1"') });
});

it("loads code again while a run is at work, keeps serving over a syntax error, and survives kill -9", async () => {
  const project = createProject({ "flows/slow.ts": slow });
  const dev = inTerminal(project.folder, ["dev", "flows"]);
  await dev.shows(/http:\/\/127\.0\.0\.1:\d+/);
  const [, url = ""] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(dev.text()) ?? [];
  await project.call("run", "SlowFlow", "--id", "s-1", "--detach", "--url", url);

  project.write("flows/slow.ts", `${slow}\nconst broken = [1;\n`);
  await dev.shows("SYNTAX_INVALID");
  const meanwhile = await project.call("show", "s-1", "--url", url);
  project.write("flows/slow.ts", slow.replace("version 1", "version 2"));
  await dev.shows("loaded again");
  execFileSync("kill", ["-9", String(dev.pid)]);
  await dev.ended();
  project.write("flows/go", "");
  const again = inTerminal(project.folder, ["dev", "flows"]);
  await again.shows(/http:\/\/127\.0\.0\.1:\d+/);

  expect(meanwhile.stdout).toMatch(/^SlowFlow {2}s-1\nrunning /);
  await expect
    .poll(async () => (await project.call("show", "s-1")).stdout, { timeout: 120_000 })
    .toContain('"version 2"');
  again.type("\x03");
  expect(await again.ended()).toBe(0);
  expect(again.text()).not.toContain("has ended");
});
