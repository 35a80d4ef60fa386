/**
 * Workflows, agents and pipelines over AG-UI: each message of a person is a run.
 *
 * @module
 */
import { callable, checkOptions, type Rule, type Rules, valueRule } from "millrace/engine";
import { createDoor, type DoorOptions, doorRules } from "../door/create-door.js";
import type { DoorCaller, MountedDoor } from "../door/mounted-door.types.js";
import { once } from "../once.js";
import { type AnyRuntime, unknownWorkflows, withAuth, workflowsOf } from "../options.js";
import { codeOf } from "../shown/run-facts.js";
import { consoleLog } from "../system.js";
import { eventJsonSchema } from "../wire/event-schema.js";
import { WorkflowCatalog } from "../wire/workflow-facts.js";
import { answerRequest, type ServedWorkflows } from "./routes.js";
import type { AguiInput, AguiTurn } from "./run-input.js";
import type { ShowEvent } from "./run-view.js";
import { openThreads, type ServedWorkflow } from "./threads.js";

/** How a workflow is served. */
export interface AguiWorkflow {
  /**
   * The input of the run that answers a message.
   *
   * @default for an agent its text, its files, the messages before it and the tools of the client; for a pipeline its
   * text in the session of the thread; for a workflow `{ message: text }`
   */
  readonly input?: (turn: AguiTurn) => AguiInput | Promise<AguiInput>;
  /** Shows events that steps write with `ctx.writeEventToStream`. @default they are not shown */
  readonly map?: ShowEvent;
  /** Names of the fields of the state that clients get, as snapshots and patches. @default none */
  readonly show?: readonly string[];
}

/** Options of `aguiHandler`. */
export interface AguiOptions extends DoorOptions {
  /** What is served, by name in the runtime. @default every workflow, with the defaults */
  readonly workflows?: { readonly [name: string]: AguiWorkflow };
  /** Text of the error of a failed run, for the reader. @default its code, without its message */
  readonly errorText?: (error: unknown) => string;
  /** Path of the handler. @default "/agui" */
  readonly basePath?: string;
}

/** What `aguiHandler` returns: the exports of a route of Next, and what `createServer({ agui })` takes. */
export interface AguiHandler extends MountedDoor {
  GET(request: Request): Promise<Response>;
  POST(request: Request): Promise<Response>;
  DELETE(request: Request): Promise<Response>;
}

const workflowRules: Rules<AguiWorkflow> = {
  input: callable,
  map: callable,
  show: valueRule(
    (names) => Array.isArray(names) && names.every((name) => typeof name === "string"),
    "a list of names",
  ),
};

const workflowsRule: Rule = (workflows) => {
  if (workflows === undefined) return [];
  if (typeof workflows !== "object" || workflows === null) return ["`workflows` is no object"];
  return Object.entries(workflows).flatMap(([name, options]) => {
    const unknown = Object.keys(Object(options)).filter((key) => !Object.hasOwn(workflowRules, key));
    return [
      ...unknown.map((key) => `\`workflows.${name}\` has no option \`${key}\``),
      ...Object.entries(workflowRules).flatMap(([key, rule]) =>
        (rule as Rule)(Object(options)[key], `workflows.${name}.${key}`),
      ),
    ];
  });
};

const rules: Rules<AguiOptions> = {
  ...doorRules,
  workflows: workflowsRule,
  errorText: callable,
  basePath: valueRule((path) => /^(\/[\w.~-]+)+$/.test(String(path)), 'a path such as "/agui"'),
};

/**
 * Creates the handler of AG-UI. Its only state is what is under way, so any number of processes may serve one store.
 *
 * @param runtime One that is started, or a function that returns one with the first request, so that importing the
 * module opens no store; if it fails, the next request calls it again.
 * @example
 * createServer({ runtime, auth, agui: aguiHandler(runtime) });
 * @throws {WorkflowError} `OPTION_INVALID` naming every problem.
 */
export function aguiHandler(
  runtime: AnyRuntime | (() => AnyRuntime | Promise<AnyRuntime>),
  options: AguiOptions = {},
): AguiHandler {
  const { workflows, errorText = codeText, basePath = "/agui", ...door } = options;
  checkOptions("The options of AG-UI are wrong", withAuth(options as never), {
    rules,
    besides:
      typeof runtime === "function"
        ? []
        : unknownWorkflows("workflows", Object.keys(Object(workflows)), workflowsOf(runtime)),
  });
  const { log = consoleLog } = door;
  const openRuntime = typeof runtime === "function" ? runtime : () => runtime;
  const opened = once(async () => {
    const started = await openRuntime();
    const catalog = new WorkflowCatalog(started.workflows, { schemaOf: eventJsonSchema });
    return servedBy({ runtime: started, catalog, workflows, errorText, log });
  });
  const respond = async (request: Request, caller: DoorCaller): Promise<Response> =>
    answerRequest(await opened(), request, caller);
  const answer = createDoor({ respond }, basePath, door);
  return { GET: answer, POST: answer, DELETE: answer, respond };
}

const codeText = (error: unknown): string => `The run has failed: ${codeOf(error)}.`;

interface Serving {
  readonly runtime: AnyRuntime;
  readonly catalog: WorkflowCatalog;
  readonly workflows: AguiOptions["workflows"];
  readonly errorText: (error: unknown) => string;
  readonly log: NonNullable<DoorOptions["log"]>;
}

function servedBy({ runtime, catalog, workflows, errorText, log }: Serving): ServedWorkflows {
  const names = workflows === undefined ? catalog.names : Object.keys(workflows);
  return {
    names,
    open(name, caller) {
      const facts = names.includes(name) ? catalog.find(name) : undefined;
      if (facts === undefined) return null;
      const { input, map, show = [] } = workflows?.[name] ?? {};
      const how: ServedWorkflow = { input, map, show };
      return openThreads({ ...how, runtime, facts, tenant: caller.tenant, caller, errorText, log });
    },
  };
}
