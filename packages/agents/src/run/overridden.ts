/**
 * What a fork puts in the place of parts of a model call: `override` of `runtime.fork`. It counts for that call and for later calls of
 * the same loop.
 *
 * @module
 */
import type { LanguageModel, ModelMessage } from "ai";
import { object, type Rules, text, valueRule } from "millrace/engine";
import { check } from "../settings/check-options.js";
import type { ModelSettings } from "../settings/loop-options.types.js";
import { plainMessages } from "../settings/media-part.js";
import { otherModel } from "../settings/replaced.js";

export interface RequestOverride {
  /** Id of another model of the same provider, with or without the name of the provider. */
  readonly model?: string;
  /** Filled in already. `null` for none. */
  readonly instructions?: string | null;
  /** The whole conversation, without the instructions. A message that stays as it is recorded keeps its files. */
  readonly messages?: readonly ModelMessage[];
  /** Those that differ: others stay as they are. `null` for one that is left out. */
  readonly settings?: ModelSettings;
}

const rules: Rules<RequestOverride> = {
  model: valueRule((value) => typeof value === "string" && value !== "", "the id of a model"),
  instructions: text,
  messages: valueRule((value) => Array.isArray(value) && value.length > 0, "a list of messages"),
  settings: object,
};

/** @throws {WorkflowError} `OPTION_INVALID` with all that is wrong. */
export function readOverride(given: object | undefined): RequestOverride | null {
  if (given === undefined) return null;
  check("override", given, { rules });
  return given as RequestOverride;
}

/** The conversation that the model gets instead of `messages`. */
export function conversationOf(edited: readonly ModelMessage[], messages: readonly ModelMessage[]): ModelMessage[] {
  const recorded = plainMessages(messages).map((message) => JSON.stringify(message));
  return edited.map((message, place) =>
    JSON.stringify(message) === recorded[place] ? (messages[place] as ModelMessage) : message,
  );
}

/** `null` stands for a setting that is left out. */
export function mergedSettings<Settings extends object>(settings: Settings, changed: object = {}): Settings {
  const merged = Object.entries({ ...settings, ...changed }).filter(([, value]) => value !== null);
  return Object.fromEntries(merged) as Settings;
}

export function overriddenModel<Model extends LanguageModel>(model: Model, override: RequestOverride | null): Model {
  return override?.model === undefined ? model : otherModel(model, override.model);
}
