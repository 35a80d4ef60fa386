/**
 * The contents of steps by their names, as types: what `input.getStepContent("title")` is known to return.
 *
 * @module
 */
import type { StepOutput } from "../data/step-output.types.js";

/** A step or a group whose contents are known by name. The field is for types alone. */
export interface HasContents<Contents extends object = object> {
  readonly "~contents"?: Contents;
}

/** Content of a step whose function returns `Result`. What a generator yields, and what an output holds, is `unknown`. */
export type ContentOf<Result> =
  Awaited<Result> extends infer Value
    ? Value extends StepOutput | Generator | AsyncGenerator
      ? unknown
      : Value
    : never;

/** Content by the name of its step. */
export type NamedContent<Name extends string, Content> = { readonly [Key in Name]: Content };

/** Contents of all steps of a list, at any depth. */
export type ContentsOf<Steps extends readonly unknown[], Sum extends object = object> = Steps extends readonly [
  infer First,
  ...infer Rest,
]
  ? ContentsOf<Rest, Sum & ContentsIn<First>>
  : Sum & Together<ContentsIn<Steps[number]>>;

/** Contents of the steps of a list that are before the one at this place. */
export type ContentsBefore<
  Steps extends readonly unknown[],
  Place,
  Sum extends object = object,
  Seen extends readonly unknown[] = [],
> = `${Seen["length"]}` extends Place
  ? Sum
  : Steps extends readonly [infer First, ...infer Rest]
    ? ContentsBefore<Rest, Place, Sum & ContentsIn<First>, [...Seen, First]>
    : Sum;

/** `0 extends 1 & Step` holds for the type `any` alone, which `instanceof` makes of every type parameter. */
type ContentsIn<Step> = 0 extends 1 & Step
  ? object
  : Step extends readonly unknown[]
    ? ContentsOf<Step>
    : Step extends { readonly "~contents"?: infer Contents }
      ? Known<Contents>
      : object;

/** Without names that are any text. */
type Known<Contents> = { [Name in keyof Contents as string extends Name ? never : Name]: Contents[Name] };

type Together<Union> = (Union extends unknown ? (part: Union) => void : never) extends (all: infer All) => void
  ? All extends object
    ? All
    : object
  : object;
