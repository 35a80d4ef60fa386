import type { LanguageModel } from "ai";
import { scriptedModel } from "./scripted-model.ts";

/** Such as `openai/gpt-5-mini`, through the AI Gateway, with its key in `AI_GATEWAY_API_KEY`. */
const name = process.env["MODEL"];

export const isScripted = name === undefined;

/** Any model of the AI SDK can stand here. */
export const model: LanguageModel = name ?? scriptedModel();
