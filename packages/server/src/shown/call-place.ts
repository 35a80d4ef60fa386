/**
 * Where a durable call of an agent stands, as the path of its call says: `/@lead/@m0.c1/@poet/run=m0`, scopes and then
 * the call.
 */

export interface CallPlace {
  /** `true`: a call of a model, whose words are a step of the message. */
  readonly isModel: boolean;
  /** Scopes of the calls of leaders that this call works for, the outermost first. Empty outside of members. */
  readonly leaders: readonly string[];
  /** Scope of the run of the agent, also of one after a handoff. */
  readonly root: string;
}

export function placeOf(call: string): CallPlace {
  const leaders = [...call.matchAll(/\/@m\d+\.c\d+(?=\/@)/g)].map(({ index, 0: text }) =>
    call.slice(0, index + text.length),
  );
  return { isModel: /\/run=m\d+$/.test(call), leaders, root: call.replace(/\/(@m\d+[.]|run=).*$/, "") };
}

/** The scope in which the call with this index, requested by a call of a model, is answered. */
export function toolScope(modelCall: string, index: number): string {
  return modelCall.replace(/\/run=(m\d+)$/, `/@$1.c${index}`);
}
