import type { TextStreamPart, ToolSet } from "ai";
import type { ActiveRun } from "./active-run.types.js";
import { emitContent } from "./run-events.js";
import type { ShownCalls } from "./shown-calls.js";
import { mayNeedConfirmation } from "./tool-calls.js";
import { toolEnded, toolStarted } from "./tool-watch.js";

type Part = TextStreamPart<ToolSet>;

/** Emits the parts of a stream as events. Tools that still wait when the stream ends or is aborted never start. */
export async function showParts(run: ActiveRun, parts: AsyncIterable<Part>, shown: ShownCalls): Promise<void> {
  const close = (): void => shown.close();
  run.job.signal.addEventListener("abort", close);
  try {
    for await (const part of parts) {
      showPart(run, part);
      if (part.type === "tool-call") shown.show(part.toolCallId);
    }
  } finally {
    run.job.signal.removeEventListener("abort", close);
    close();
  }
}

function showPart(run: ActiveRun, part: Part): void {
  if (part.type === "text-delta") {
    run.said.push(part.text);
    emitContent(run, { text: part.text });
  } else if (part.type === "reasoning-delta") emitContent(run, { reasoning: part.text });
  else if (part.type === "tool-call" && startsNow(run, part)) toolStarted(run, part);
  else if (part.type === "tool-error") toolEnded(run, part);
  else if (part.type === "tool-result" && part.preliminary !== true) toolEnded(run, part);
}

/** A call that may need the permission of a person is reported when its tool starts. */
function startsNow({ settings }: ActiveRun, { toolName, invalid }: Part & { readonly type: "tool-call" }): boolean {
  return invalid === true || settings.tools.every((tool) => tool.name !== toolName || !mayNeedConfirmation(tool));
}
