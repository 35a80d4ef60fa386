/** What the record of a model call keeps of the request. */
import type { RecordMode, RecordOptions } from "../settings/record.types.js";

/** Tells a reader of the record that it is not the whole request. */
interface Mark {
  readonly record?: Exclude<RecordMode, "full">;
}

export function recordModeOf({
  record,
  redact,
}: {
  readonly record?: RecordMode | undefined;
  readonly redact?: unknown;
}): RecordMode {
  return record ?? (redact === undefined ? "full" : "redacted");
}

/** @returns the part to record, with the mode unless it is whole. */
export function requestToRecord<Asked extends object>(
  options: RecordOptions<Asked>,
  asked: Asked,
): Partial<Asked> & Mark {
  const mode = recordModeOf(options);
  if (mode === "full") return asked;
  if (mode === "off") return { record: mode } as Partial<Asked> & Mark;
  const { redact = withoutTexts } = options;
  return { ...redact(asked), record: mode };
}

function withoutTexts<Asked extends object>(asked: Asked): Asked {
  const { instructions: _instructions, messages: _messages, prompt: _prompt, ...rest } = asked as Fields;
  return rest as Asked;
}

type Fields = { readonly [name: string]: unknown };
