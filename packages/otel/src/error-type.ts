/** The value of `error.type`: the code of an error that has one, else its name. Few values, as metrics need them. */
export function errorTypeOf(error: unknown): string {
  const { code, name } = Object(error) as { readonly code?: unknown; readonly name?: unknown };
  if (typeof code === "string" && code !== "") return code;
  return typeof name === "string" && name !== "" && error instanceof Error ? name : "_OTHER";
}
