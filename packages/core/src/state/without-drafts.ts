import { plainOf } from "./draft.js";
import { isDraft } from "./draft-node.js";
import { isRecord } from "./state-schema.js";

/** The answer of a callback, without drafts: those end with the edit. */
export function withoutDrafts(answer: unknown, depth = 0): unknown {
  if (typeof answer !== "object" || answer === null || depth > 8) return answer;
  if (isDraft(answer)) return plainOf(answer);
  if (Array.isArray(answer)) {
    const items = answer.map((item) => withoutDrafts(item, depth + 1));
    return items.some((item, index) => item !== answer[index]) ? items : answer;
  }
  if (!isRecord(answer) || Object.isFrozen(answer)) return answer;
  const entries = Object.entries(answer).map(([key, value]) => [key, withoutDrafts(value, depth + 1)] as const);
  return entries.some(([key, value]) => value !== answer[key]) ? Object.fromEntries(entries) : answer;
}
