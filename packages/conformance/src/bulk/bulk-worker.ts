import { defineWorkflow, StartEvent, StopEvent, type Workflow } from "millrace";
import { createRuntime, type RunStore, type Runtime } from "millrace/runtime";

/** @param isDown `true`: each run fails. */
export function refundFlows(isDown: boolean): { readonly refund: Workflow } {
  const refund = defineWorkflow("refund")
    .step("pay", { on: StartEvent, emits: StopEvent }, () => {
      if (isDown) throw new Error("the bank is down");
      return new StopEvent({ result: "paid" });
    })
    .build();
  return { refund };
}

export const leaseMs = 2_000;

/** Executes runs, and jobs, until the process is killed. Prints `started`. */
export async function workOn(store: RunStore): Promise<Runtime> {
  const runtime = createRuntime({ workflows: refundFlows(false), store, leaseMs });
  await runtime.start();
  console.log("started");
  return runtime;
}
