/** State shared by the steps, agents and tools of a session, as plain data. */
export type SessionState = Record<string, unknown>;

/**
 * The live session state of a pipeline whose template has these fields; a session may have more. An empty list and `null` in the
 * template say nothing about what comes there.
 */
export type SharedState<State extends object> = string extends keyof State
  ? State
  : { [Field in keyof State]: Widened<State[Field]> } & SessionState;

type Widened<Value> = Value extends null ? unknown : Value extends readonly never[] ? unknown[] : Value;
