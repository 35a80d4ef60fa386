/** Events of a workflow: their schemas, and what each is for. */
import type { EventUse } from "@millrace/client";
import { client } from "./client.js";
import type { JsonSchema } from "./json.types.js";

export interface WorkflowEvent extends EventUse {
  readonly type: string;
  readonly schema: JsonSchema;
}

export async function readEvents(workflow: string, signal: AbortSignal): Promise<readonly WorkflowEvent[]> {
  const [schemas, uses] = await Promise.all([
    client.events(workflow, { signal }),
    client.eventUses(workflow, { signal }),
  ]);
  return (schemas as readonly JsonSchema[]).flatMap((schema) => {
    const use = uses[schema.title ?? ""];
    return use === undefined ? [] : [{ type: schema.title ?? "", schema, ...use }];
  });
}
