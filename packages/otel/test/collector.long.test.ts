/**
 * A run over PostgreSQL in three processes, which send what they report to a collector over OTLP/HTTP. The first one is stopped past
 * its lease, and continued when the run has ended elsewhere; the second one is killed.
 */
import { fileURLToPath } from "node:url";
import { ScriptProcess } from "@millrace/conformance/processes";
import { expect, it, onTestFinished } from "vitest";
import { Server } from "../../postgres/test/support/server.js";
import { OtlpReceiver, type ReceivedSpan } from "./support/otlp-receiver.js";
import { traceProblems, treeOf } from "./support/sdk.js";

const script = fileURLToPath(new URL("child/sender.ts", import.meta.url));

it("is one trace at the collector, and the process that lost the run says so", { timeout: 480_000 }, async () => {
  await using server = await Server.start(["fsync=off"]);
  await using collector = await OtlpReceiver.open();
  const open = (role: string): ScriptProcess => {
    const child = new ScriptProcess(
      script,
      [server.url, collector.url, role],
      ["--import", "@millrace/conformance/source"],
    );
    onTestFinished(() => child.kill());
    return child;
  };
  const first = open("starts");
  expect(await first.line()).toBe("asked");
  process.kill(first.pid, "SIGSTOP");
  const second = open("resumes");
  expect(await second.line()).toBe("asked");
  await second.kill();
  const third = open("ends");
  for (let line = ""; line !== "done"; ) line = await third.line();
  process.kill(first.pid, "SIGCONT");
  await expect.poll(() => collector.counter("millrace.runtime.lease.lost", "starts"), { timeout: 120_000 }).toBe(1);
  process.kill(first.pid, "SIGTERM");
  expect(await first.line()).toBe("left");

  const named = (name: string): ReceivedSpan[] => collector.spans.filter((span) => span.name === name);
  expect(traceProblems(collector.spans)).toEqual([]);
  expect(new Set(collector.spans.map(({ from }) => from))).toEqual(new Set(["starts", "resumes", "ends"]));
  expect(named("run trip")).toMatchObject([{ from: "ends", attributes: { "millrace.run.status": "completed" } }]);
  const approvals = named("step approve").map(({ from, attributes: facts }) => [facts["millrace.step.status"], from]);
  expect(approvals.filter(([status]) => status !== "interrupted")).toEqual([["completed", "ends"]]);
  expect(approvals).toEqual(
    expect.arrayContaining([
      ["interrupted", "resumes"],
      ["interrupted", "ends"],
    ]),
  );
  expect(named("effect pay")).toMatchObject([{ from: "starts" }]);
  expect(named("wait event")).toMatchObject([{ from: "ends" }]);
  expect(treeOf(collector.spans)[0]).toBe("start trip");
});
