/** A mistake that is planted into a program, and the edit that mends it. */
export interface Mistake {
  readonly name: string;
  /** The program below {@link prelude}. `«wrong|right»` is the edit, `$` the name. */
  readonly code: string;
  /** In the line that is named, if that is not the line of the edit. */
  readonly at?: string;
  /** What is printed: the cause, then the edit. */
  readonly says: readonly string[];
}

const prelude = `import {
  type Context, catchError, collect, defineWorkflow, event, ExternalEvent, HumanResponseEvent, InputRequiredEvent, join,
  many, retryPolicy, StartEvent, StepFailedEvent, StopEvent, step, stop, wait, Workflow,
} from "millrace";
import * as z from "zod";

class Ask extends StartEvent.define("Ask", { topic: z.string() }) {}
class Draft extends event("Draft", { text: z.string() }) {}
class Item extends event("Item", { n: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}
`;

const edit = /«([^|»]*)\|([^»]*)»/g;

export function programOf({ name, code }: Mistake, form: "wrong" | "right"): string {
  return `${prelude}${code.replaceAll("$", name).replace(edit, form === "wrong" ? "$1" : "$2")}`;
}

/** From 1, in the wrong program. */
export function lineOf(mistake: Mistake): number {
  const { name, code, at } = mistake;
  const text = at === undefined ? `${prelude}${code}` : programOf(mistake, "wrong");
  const offset = at === undefined ? text.indexOf("«") : text.indexOf(at.replaceAll("$", name));
  if (offset === -1) throw new Error(`${name} has no such line: ${at}`);
  return text.slice(0, offset).split("\n").length;
}
