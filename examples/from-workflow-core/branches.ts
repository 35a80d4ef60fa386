// Three branches, gathered. The demo of workflow-core: original/branches.ts. `pnpm --filter ./examples from-workflow-core`
import { collect, defineWorkflow, event, many, StartEvent, StopEvent } from "millrace";
import * as z from "zod";

class Begin extends StartEvent.define("Begin", { text: z.string() }) {}
class BranchA extends event("BranchA", { text: z.string() }) {}
class BranchB extends event("BranchB", { text: z.string() }) {}
class BranchC extends event("BranchC", { text: z.string() }) {}
class BranchComplete extends event("BranchComplete", { text: z.string() }) {}

/** `collect` waits for all branches: there is no stream to read and no number to count to. */
export const branches = defineWorkflow("branches")
  .step("fork", { on: Begin, emits: many(BranchA, BranchB, BranchC) }, () => [
    new BranchA({ text: "Branch A" }),
    new BranchB({ text: "Branch B" }),
    new BranchC({ text: "Branch C" }),
  ])
  .step("a", { on: BranchA, emits: BranchComplete }, ({ text }) => new BranchComplete({ text }))
  .step("b", { on: BranchB, emits: BranchComplete }, ({ text }) => new BranchComplete({ text }))
  .step("c", { on: BranchC, emits: BranchComplete }, ({ text }) => new BranchComplete({ text }))
  .step("gather", { on: collect(BranchComplete), emits: StopEvent }, (all) => {
    return new StopEvent({ result: all.map(({ text }) => text).join(", ") });
  })
  .build();
