/** Fields of the answers of a job, which are JSON. */
import type { PendingPrompt } from "../../authoring/handler.types.js";
import {
  type CompiledWorkflow,
  eventJsonSchema,
  familyOf,
  type JsonSchema,
  mayHoldMoments,
  QuestionEvent,
  withMoments,
} from "../../host.js";
import type { RunHandle } from "../api/runtime.types.js";

export interface AnswerTo {
  readonly run: Pick<RunHandle, "prompts">;
  readonly promptId: string;
  /** The workflow of the run. */
  readonly compiled: CompiledWorkflow;
}

/** The fields with a `Date` in place of each text where the answer has one. The prompt is read only for fields that may have one. */
export async function answerFields(fields: object, { run, promptId, compiled }: AnswerTo): Promise<object> {
  if (!mayHoldMoments(fields)) return fields;
  const prompt = (await run.prompts()).find((one) => one.promptId === promptId);
  const schema = prompt === undefined ? null : schemaOf(prompt, compiled);
  return schema === null ? fields : (withMoments(schema, fields) as object);
}

/** `null` where it is not known. */
function schemaOf({ event, answerType }: PendingPrompt, compiled: CompiledWorkflow): JsonSchema | null {
  if (answerType === null) return null;
  if (QuestionEvent.is(event)) return event.schema;
  const classes = [...familyOf(compiled)].flatMap(({ registry }) => registry.get(answerType) ?? []);
  return classes[0] === undefined ? null : eventJsonSchema(classes[0]);
}
