/** The tools that the conformance suite of the protocol calls, as workflows. */
import { collect, defineWorkflow, event, many, StartEvent, StopEvent } from "millrace";
import * as z from "zod";

class Greet extends StartEvent.define("Greet", { name: z.string() }) {}
const greet = defineWorkflow("greet")
  .step("greet", { on: Greet, emits: StopEvent }, ({ name }) => new StopEvent({ result: `Hello, ${name}!` }))
  .build();

class Compute extends StartEvent.define("Compute", { seconds: z.number(), label: z.string().default("") }) {}
class Computed extends StopEvent.define("Computed", { label: z.string(), seconds: z.number() }) {}
const slow_compute = defineWorkflow("slow_compute")
  .step("compute", { on: Compute, emits: Computed }, async ({ seconds, label }, ctx) => {
    await ctx.sleep(seconds * 1000);
    return new Computed({ label, seconds });
  })
  .build();

const failing_job = defineWorkflow("failing_job")
  .step("fail", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    await ctx.sleep(1000);
    throw new TypeError("The job has failed.");
  })
  .build();

const confirm = { confirm: z.boolean().optional(), name: z.string().optional() };

class Delete extends StartEvent.define("Delete", { filename: z.string() }) {}
const confirm_delete = defineWorkflow("confirm_delete")
  .step("ask", { on: Delete, emits: StopEvent }, async ({ filename }, ctx) => {
    const { confirm: isSure } = await ctx.ask({ title: `Delete ${filename}?`, schema: confirm });
    return new StopEvent({ result: isSure ? `deleted ${filename}` : "kept" });
  })
  .build();

class First extends event("First", {}) {}
class Second extends event("Second", {}) {}
class Answered extends event("Answered", { name: z.string() }) {}
const multi_input = defineWorkflow("multi_input")
  .step("begin", { on: StartEvent, emits: many(First, Second) }, () => [new First({}), new Second({})])
  .step("first", { on: First, emits: Answered }, async (_ev, ctx) => {
    const { name = "" } = await ctx.ask({ title: "First name?", schema: confirm });
    return new Answered({ name });
  })
  .step("second", { on: Second, emits: Answered }, async (_ev, ctx) => {
    const { name = "" } = await ctx.ask({ title: "Last name?", schema: confirm });
    return new Answered({ name });
  })
  .step(
    "both",
    { on: collect(Answered), emits: StopEvent },
    (all) => new StopEvent({ result: all.map(({ name }) => name).join(" ") }),
  )
  .build();

/** The text is the result. */
const saying = (name: string, text: string) =>
  defineWorkflow(name)
    .step("say", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: text }))
    .build();

const test_error_handling = defineWorkflow("test_error_handling")
  .step("fail", { on: StartEvent, emits: StopEvent }, () => {
    throw new TypeError("This tool intentionally returns an error for testing");
  })
  .build();

const test_tool_with_progress = defineWorkflow("test_tool_with_progress")
  .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    await ctx.sleep(300);
    return new StopEvent({ result: "done" });
  })
  .build();

/** Asks under the ids that the suite names. */
const asking = (name: string, ...promptIds: readonly string[]) =>
  defineWorkflow(name)
    .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      const schema = { name: z.string().optional(), color: z.string().optional(), ok: z.boolean().optional() };
      for (const promptId of promptIds) await ctx.ask({ title: "What is your name?", promptId, schema });
      return new StopEvent({ result: `answered ${promptIds.length}` });
    })
    .build();

const asks = {
  test_streaming_elicitation: ["user_name"],
  test_input_required_result_elicitation: ["user_name"],
  test_input_required_result_request_state: ["confirm"],
  test_input_required_result_multi_round: ["step1", "step2"],
  test_input_required_result_tampered_state: ["confirm"],
};

export const mcpWorkflows = {
  ...{ greet, slow_compute, failing_job, confirm_delete, multi_input, test_error_handling, test_tool_with_progress },
  test_simple_text: saying("test_simple_text", "This is a simple text response for testing."),
  test_logging_tool: saying("test_logging_tool", "Nothing is logged."),
  ...Object.fromEntries(Object.entries(asks).map(([name, promptIds]) => [name, asking(name, ...promptIds)])),
};
