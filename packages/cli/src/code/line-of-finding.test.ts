import { expect, it } from "vitest";
import { lineOfFinding } from "./line-of-finding.js";

const text = `class First extends Workflow {
  @step({ on: Ask })
  write(ev: Ask) {}
}
class Second extends Workflow {
  @step({
    on: Ask,
  })
  async write(ev: Ask) {}

  @step({ name: "to judge", on: Draft })
  judge(ev: Draft) {
    this.write(ev);
  }
  end = step({ on: Draft }, () => {});
}
class Third extends Workflow {
  static override readonly name = "third";
}
const flow = defineWorkflow<State>("a+b (c)")
  .step("write", { on: Ask }, () => {})
  .catchError(
    "mend",
    { steps: ["write"] },
    () => {},
  );
`;

it.each<[workflow: string, step: string | null, line: number | null]>([
  ["First", "write", 2],
  ["Second", "write", 6],
  ["Second", "to judge", 11],
  ["Second", "end", 15],
  ["Second", "elsewhere", 5],
  ["Second", null, 5],
  ["third", null, 18],
  ["a+b (c)", "write", 21],
  ["a+b (c)", "mend", 22],
  ["unknown", "end", 15],
  ["unknown", "elsewhere", null],
])("of the workflow %s and the step %s is %s", (workflow, step, line) => {
  expect(lineOfFinding(text, { workflow, step })).toBe(line);
});
