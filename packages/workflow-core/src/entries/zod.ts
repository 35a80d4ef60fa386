/** Events with a schema. */
import type * as z3 from "zod/v3";
import type * as z4 from "zod/v4/core";
import { type WorkflowEvent, type WorkflowEventConfig, workflowEvent } from "../event.js";

type ZodSchema<T> = z3.ZodType<T> | z4.$ZodType<T>;

/** An event whose `with` throws what the schema throws. The data stay as they are: a schema that converts does not change them. */
export const zodEvent = <T, DebugLabel extends string>(
  schema: ZodSchema<T>,
  config?: WorkflowEventConfig<DebugLabel>,
): WorkflowEvent<T, DebugLabel> & { readonly schema: ZodSchema<T> } => {
  const event = workflowEvent<T, DebugLabel>(config);
  const { with: make } = event;
  return Object.assign(event, {
    schema,
    with(data: T) {
      (schema as unknown as { parse: (value: unknown) => unknown }).parse(data);
      return make(data);
    },
  });
};
