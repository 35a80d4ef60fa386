/** The value of `error.type`: the code of the error, or else its name. Metrics need few distinct values. */
export function errorTypeOf(error: unknown): string {
  const { code, name } = Object(error) as { readonly code?: unknown; readonly name?: unknown };
  if (typeof code === "string" && code !== "") return code;
  return typeof name === "string" && name !== "" && error instanceof Error ? name : "_OTHER";
}
