/** Rules for ids and labels, shared by the server's schemas and the function, which has no schema library. */
import { outsideId } from "millrace/wire";

export const { pattern: idPattern, meaning: idMeaning } = outsideId;
/** Of a run that is to be made: a path of the server is read before the run of that name. */
export const newIdPattern: RegExp = new RegExp(idPattern.source.replace("(?!", "(?!(?:counts|matching|bulk)$|"), "u");
export const newIdMeaning = `${idMeaning}; nor is it \`counts\`, \`matching\` or \`bulk\`, which are other paths`;
/** Names that start with `millrace.` are reserved for the server. */
export const labelPattern: RegExp = /^(?!millrace\.)[^=]{1,100}$/u;
export const labelMeaning = "a name of a label has no `=`, and no `millrace.` in front";

export const most = {
  id: outsideId.longest,
  promptId: 1_000,
  labels: 50,
  labelValue: 255,
  name: 255,
  scheduleName: 150,
} as const;

/** Says what is wrong with a body that holds more than anybody reads. */
export function unreadKeys(keys: readonly string[]): string {
  return `unknown: \`${keys.join("`, `")}\`; the fields of an event go into \`start_event\`, \`event\` or \`fields\``;
}
