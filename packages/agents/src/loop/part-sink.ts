import type { EffectCall } from "millrace";
import type { AgentPart } from "./agent-part.types.js";

/** Takes what one call shows, in order. */
export interface PartSink {
  show(part: AgentPart): void;
}

/** Shows parts as pieces of their call. What an attempt shows that has ended does not count. */
export function pieceSink(call: EffectCall): PartSink {
  return {
    show: (part) => {
      if (!call.signal.aborted) call.write({ ...part });
    },
  };
}
