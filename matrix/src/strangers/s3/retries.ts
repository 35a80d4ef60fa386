/** A policy of one's own, and what an attempt may know of the one before. */
import { defineWorkflow, StartEvent, StopEvent } from "millrace";

const flow = defineWorkflow("retries")
  .step(
    "try",
    {
      on: StartEvent,
      emits: StopEvent,
      retry: { next: ({ failures, error }) => (failures < 3 && error instanceof Error ? 1 : null) },
    },
    (_ev, ctx) => {
      const { attempt, lastError } = ctx.retryInfo();
      if (attempt < 3) throw new Error(`failure ${attempt}`);
      return new StopEvent({
        result: `${attempt} attempts, after "${lastError instanceof Error && lastError.message}"`,
      });
    },
  )
  .build();

console.log(await flow.run());
