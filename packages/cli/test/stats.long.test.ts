/** What has ended, in the terminal: figures, kinds of failures, and the runs of one kind. */
import { expect, it } from "vitest";
import { createProject } from "./support/project.js";

const order = `import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import * as z from "zod";
class Order extends StartEvent.define("Order", { card: z.number() }) {}
export const orders = defineWorkflow("orders")
  .step("charge", { on: Order, emits: StopEvent }, ({ card }) => {
    if (card > 0) throw Object.assign(new TypeError(\`card \${card} declined\`), { code: "DECLINED" });
    return new StopEvent({ result: 1 });
  })
  .build();
`;

it("counts runs and steps, groups failures, and lists the runs of a group", async () => {
  const project = createProject({ "orders.ts": order });
  for (const card of [0, 17, 18])
    await project.call("run", "orders.ts", "--input", `{"card":${card}}`, "--id", `r-${card}`);

  const all = await project.call("stats");
  const one = await project.call("stats", "--workflow", "orders", "--by-version");
  const json = await project.call("stats", "--json");
  const failures = await project.call("failures");
  const groups = await project.call("failures", "--json");
  const none = await project.call("failures", "--workflow", "other");
  const wrong = await project.call("stats", "--after", "soon");

  expect(all.stdout).toMatch(/orders +3 +2 \(66\.7 %\)/);
  expect(one.stdout).toMatch(/charge +3 +2 \(66\.7 %\)/);
  expect(JSON.parse(json.stdout)).toMatchObject({ workflows: [{ workflow: "orders", count: 3, failed: 2 }] });
  expect(failures.stdout).toMatch(
    /^2 × orders › charge: card <number> declined\n {4}error:[0-9a-f]{16} {2}DECLINED {2}first /,
  );
  expect(none.stderr).toContain("No run has failed");
  expect(wrong.stderr).toContain('`--after` is "soon"');
  const [{ id }] = JSON.parse(groups.stdout).groups as [{ id: string }];
  const listed = await project.call("runs", "--where", `error:${id}`);
  expect(listed.stdout).toContain("r-17");
  expect(listed.stdout).toContain("r-18");
  expect(listed.stdout).not.toContain("r-0");
});
