/** Runs a compiled program, and tells the page what it prints and what its workflows do. */
import type * as Millrace from "millrace";
import type { Failure, FromWorker, ToWorker } from "./messages.types.ts";
import { printed } from "./printed.ts";
import { StepTree } from "./step-tree.ts";

const say = (message: FromWorker): void => postMessage(message);

for (const level of ["log", "info", "debug", "warn", "error"] as const) {
  console[level] = (...values: unknown[]) =>
    say({ type: "printed", level: level === "warn" || level === "error" ? level : "log", text: printed(values) });
}
addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  say({ type: "failed", failure: failureOf(event.reason) });
});
addEventListener("message", async ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === "ping") return say({ type: "pong" });
  try {
    watch(await import(/* @vite-ignore */ data.millrace));
    await import(/* @vite-ignore */ data.program);
  } catch (error) {
    say({ type: "failed", failure: failureOf(error) });
  }
  say({ type: "finished" });
});

/** Every workflow that is run tells its steps; workflows inside of it are told with it. */
function watch({ Workflow }: typeof Millrace): void {
  const tree = new StepTree((node) => say({ type: "node", node }));
  const prototype = Workflow.prototype as Millrace.WorkflowClass<unknown>["prototype"];
  const { run } = prototype;
  const telemetry: Millrace.Telemetry = {
    isActive: true,
    onStart: () => null,
    onInspection: (inspection) => tree.add(inspection),
    callStep: (_call, work) => work(),
    callEffect: (_call, work) => work(),
  };
  prototype.run = function (...given: Parameters<typeof run>) {
    this.use(telemetry);
    return run.apply(this, given);
  };
}

function failureOf(error: unknown): Failure {
  const { name, message, code, hint } = error as Partial<Millrace.WorkflowError>;
  if (!(error instanceof Error)) return { name: "Thrown", message: printed([error]), code: null, hint: null };
  return { name: name ?? "Error", message: message ?? "", code: code ?? null, hint: hint ?? null };
}
