import { current, isDraft } from "immer";

/** What is still a draft does not outlive its edit. */
export function undrafted<Value>(value: Value): Value {
  return isDraft(value) ? (current(value as never) as Value) : value;
}
