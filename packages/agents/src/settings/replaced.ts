/**
 * Another model and other instructions for all agents of this process, as `whatIf` of `@millrace/testing` tries them out. They are in the
 * global object, so that neither package needs the other.
 *
 * @module
 */
import type { LanguageModel } from "ai";
import { invalid } from "./check-options.js";

interface Replaced {
  readonly model?: LanguageModel;
  readonly instructions?: string | { readonly [agent: string]: string };
  /** How often they were used. */
  models: number;
  texts: number;
}

const place: unique symbol = Symbol.for("millrace.replaced-agents") as never;

const replacements = (): Replaced | undefined => (globalThis as { readonly [place]?: Replaced })[place];

/** @throws {WorkflowError} `OPTION_INVALID` for the name of another model, where a provider has wrapped the model. */
export function replacedModel<Model extends LanguageModel>(model: Model): Model {
  const replaced = replacements();
  if (replaced?.model === undefined) return model;
  replaced.models++;
  return (typeof replaced.model === "string" ? renamed(model, replaced.model) : replaced.model) as Model;
}

/** `null`: the agent keeps its own. */
export function replacedInstructions(agent: string): string | null {
  const replaced = replacements();
  const { instructions } = replaced ?? {};
  const text = typeof instructions === "object" ? instructions[agent] : instructions;
  if (replaced === undefined || text === undefined) return null;
  replaced.texts++;
  return text;
}

/** @param name Id of another model of the same provider, with or without the name of the provider. */
export function otherModel<Model extends LanguageModel>(model: Model, name: string): Model {
  const own = typeof model === "string" ? "" : `${model.provider}/`;
  const modelId = name.startsWith(own) ? name.slice(own.length) : name;
  const isSame = modelId === (typeof model === "string" ? model : model.modelId);
  return isSame ? model : (renamed(model, modelId) as Model);
}

/** Another model of the same provider. */
function renamed(model: LanguageModel, modelId: string): LanguageModel {
  if (typeof model === "string") return modelId;
  const kind: unknown = Object.getPrototypeOf(model);
  if (kind === Object.prototype || kind === null)
    throw invalid(
      `The model "${model.modelId}" is wrapped, and cannot become ${JSON.stringify(modelId)}.`,
      "Pass a model instead of its name.",
    );
  const own = { ...Object.getOwnPropertyDescriptors(model), modelId: { value: modelId, enumerable: true } };
  return Object.create(kind as object, own) as LanguageModel;
}
