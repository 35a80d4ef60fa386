/** Maximum length of a text that names a call for readers, in UTF-16 code units. */
export const MAX_LABEL = 200;

/** Checked where a label is given and where it is read. */
export function isLabel(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_LABEL;
}
