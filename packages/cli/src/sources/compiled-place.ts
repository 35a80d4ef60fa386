/** Where the function of a step is in the running code, from V8. */
import { Session } from "node:inspector";

/** A part of the text of a script. */
export interface CompiledPlace {
  /** A URL, or the path of a CommonJS file. */
  readonly script: string;
  readonly text: string;
  readonly start: number;
  /** Behind its last character. */
  readonly end: number;
}

/** `null` for functions without JavaScript source: native functions and proxies. */
export function compiledPlace(callable: object): CompiledPlace | null {
  const session = new Session();
  session.connect();
  try {
    return placeOf(new Debugging(session), callable);
  } finally {
    session.disconnect();
  }
}

interface Location {
  readonly scriptId: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

interface RemoteValue {
  readonly objectId?: string;
  readonly description?: string;
  readonly value?: unknown;
}

function placeOf(debugging: Debugging, callable: object): CompiledPlace | null {
  let value = debugging.remoteOf(callable);
  for (;;) {
    const inner = debugging.internalsOf(value);
    const target = inner.get("[[TargetFunction]]"); // of a bound function; the methods of a workflow are bound to it
    if (target === undefined) return debugging.placeAt(inner.get("[[FunctionLocation]]")?.value as Location, value);
    value = target;
  }
}

/**
 * Everything is asked in one turn. While the debugger is on no code of the user may run: a `debugger` in it would stop this
 * process for good.
 */
class Debugging {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  remoteOf(value: object): RemoteValue {
    const name = "__millraceStep";
    const global = globalThis as unknown as Record<string, unknown>;
    global[name] = value;
    try {
      return this.#ask<{ readonly result: RemoteValue }>("Runtime.evaluate", { expression: `globalThis.${name}` })
        .result;
    } finally {
      delete global[name];
    }
  }

  internalsOf({ objectId }: RemoteValue): ReadonlyMap<string, RemoteValue> {
    const { internalProperties = [] } = this.#ask<{
      readonly internalProperties?: readonly { readonly name: string; readonly value?: RemoteValue }[];
    }>("Runtime.getProperties", { objectId, ownProperties: true });
    return new Map(internalProperties.map(({ name, value = {} }) => [name, value]));
  }

  /** @param value The function; its description is its text. */
  placeAt(location: Location | undefined, { description: code = "" }: RemoteValue): CompiledPlace | null {
    if (location === undefined) return null;
    const script = this.#urlOf(location.scriptId);
    const { scriptSource: text } = this.#ask<{ readonly scriptSource: string }>("Debugger.getScriptSource", {
      scriptId: location.scriptId,
    });
    const lines = text.split("\n").slice(0, location.lineNumber);
    // V8 reports the place of the parameters; the method begins before it.
    const within = lines.reduce((sum, line) => sum + line.length + 1, location.columnNumber);
    const start = text.lastIndexOf(code, within);
    const end = start + code.length;
    return start === -1 || end <= within ? null : { script, text, start, end };
  }

  /** The debugger reports all scripts when it is enabled. */
  #urlOf(scriptId: string): string {
    let found = "";
    this.#session.on("Debugger.scriptParsed", ({ params }) => {
      if (params.scriptId === scriptId) found = params.url;
    });
    this.#ask("Debugger.enable", {});
    return found;
  }

  /** A session with the own thread answers at once. */
  #ask<Answer>(method: string, params: object): Answer {
    let answered: { readonly error: Error | null; readonly answer?: object | undefined } = { error: new Error(method) };
    this.#session.post(method, params, (error, answer) => {
      answered = { error, answer };
    });
    if (answered.error !== null) throw answered.error;
    return answered.answer as Answer;
  }
}
