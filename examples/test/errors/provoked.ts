/** What a page of `docs/errors` promises, made to happen. */
import { type ErrorCode, WorkflowError } from "millrace";

/** How a program sees a code: as a thrown error, or as the refusal in a receipt. */
export interface Provoked {
  readonly code: string;
  /** Everything that a person reads of it: the message, and the hint. */
  readonly text: string;
}

/** By code, and where a page names several cases, one for each. */
export type Provocations = Partial<Record<ErrorCode, readonly (() => Promise<Provoked>)[]>>;

/** What `act` throws, or rejects with, without the temporary folder that a file is in. */
export async function thrown(act: () => unknown): Promise<Provoked> {
  try {
    await act();
  } catch (error) {
    if (!WorkflowError.is(error)) throw error;
    return { code: error.code, text: `${error.message} ${error.hint}`.replace(/"[^"]*\/errors-\w+\//g, '"') };
  }
  return { code: "nothing was thrown", text: "" };
}
