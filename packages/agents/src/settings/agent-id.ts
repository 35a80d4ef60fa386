/** Converts a name to an id: lower case, with `-` between words. */
export function idOf(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, "-");
}

/** Name of the tool for a handoff to an agent, in the form that providers accept: up to 64 letters, digits, "_" and "-". */
export function handoffName({ name }: { readonly name: string }): string {
  return `transfer_to_${idOf(name)
    .replaceAll(/[^\w-]/g, "_")
    .slice(0, 50)}`;
}
