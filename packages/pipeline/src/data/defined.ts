/**
 * Makes an object with one field, or none when the value is `undefined`.
 *
 * JSON has no `undefined`: a state that contains one passes through the codec for rich values at every change, which
 * takes twice as long.
 */
export function defined<Name extends string>(name: Name, value: unknown): { readonly [Key in Name]?: unknown } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: unknown };
}
