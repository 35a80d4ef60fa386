/** Rules for ids and labels, shared by the server's schemas and the function, which has no schema library. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses them
export const idPattern: RegExp = /^(?!\.{1,2}$)[^\u0000-\u001f\u007f\ud800-\udfff]+$/u;
export const idMeaning = "an id has no control characters, and is neither `.` nor `..`, which no URL can hold";
/** Names that start with `millrace.` are reserved for the server. */
export const labelPattern: RegExp = /^(?!millrace\.)[^=]{1,100}$/u;
export const labelMeaning = "a name of a label has no `=`, and no `millrace.` in front";

export const most = {
  id: 200,
  promptId: 1_000,
  labels: 50,
  labelValue: 1_000,
  name: 1_000,
  scheduleName: 150,
} as const;

/** Says what is wrong with a body that holds more than anybody reads. */
export function unreadKeys(keys: readonly string[]): string {
  return `nobody reads \`${keys.join("`, `")}\`; the fields of an event go into \`start_event\`, \`event\` or \`fields\``;
}
