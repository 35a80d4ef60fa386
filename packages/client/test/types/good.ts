// biome-ignore-all format: one case per line
// Good cases: each must compile. They are checked, never run.
import { createClient, type EventData, type RunOutcome, type SomeEvent, type StreamedEvent } from "../../src/index.js";
import { useRun } from "../../src/react.js";
import { type Equal, expectType } from "./expect.js";
import { Answer, type Ask, GotName, Joke, NeedName, type workflows } from "./workflows.js";

const client = createClient<typeof workflows>({ baseUrl: "https://example.test", headers: async () => ({ authorization: "x" }) });

// G01 the input of a class: fields with a default may be left out
client.run("joke", { topic: "x" });
client.run("joke", { topic: "x", tone: "wet" }, { handlerId: "h", key: "k" });
// G02 the constructor of a workflow says the same
expectType<Equal<Awaited<ReturnType<typeof client.run<"jokeClass">>>, number>>(true);
// G03 the result of a plain stop event is its result
const length = client.run("joke", { topic: "x" });
expectType<Equal<Awaited<typeof length>, number>>(true);
// G04 a stop event of its own is plain data
const rated = client.run("rated", { topic: "x" });
expectType<Equal<Awaited<typeof rated>, { readonly type: "Answer"; readonly joke: string; readonly stars: number }>>(true);
// G05 an open start event takes anything, or nothing
client.run("open");
client.run("open", { what: 1 });
expectType<Equal<Awaited<ReturnType<typeof client.run<"open">>>, { ok: boolean }>>(true);
// G06 the stream of a built workflow narrows by type
for await (const { event, sequence, promptId, origin } of rated.stream()) {
  expectType<Equal<[typeof sequence, typeof promptId, typeof origin], [number, string | null, string | null]>>(true);
  if (event.type === "Joke") expectType<Equal<typeof event.at, Date | undefined>>(true);
  if (event.type === "Answer") event.stars.toFixed();
  if (event.type === "WorkflowFailedEvent") expectType<Equal<typeof event.attempts, number>>(true);
}
// G07 of a class, prompts are known, and streamed events when they are named
for await (const { event } of length.stream<Joke>()) {
  if (event.type === "NeedName") event.question.length;
  if (event.type === "Joke") event.text.length;
}
// G08 instances of known classes
const events = { Joke, Answer };
const instances = createClient<typeof workflows, typeof events>({ baseUrl: "", events });
const answer = instances.run("rated", { topic: "x" });
expectType<Equal<Awaited<typeof answer>, Answer>>(true);
for await (const { event } of answer.stream()) if (event.type === "Joke") event.loud();
for await (const { event } of instances.run("joke", { topic: "x" }).stream<Joke>()) if (event.type === "Joke") event.loud();
// G09 a handle by id: of a named workflow, or of any
expectType<Equal<Awaited<ReturnType<typeof client.handle<"joke">>>, number>>(true);
const joke = client.handle("h", { workflow: "joke" });
expectType<Equal<Awaited<typeof joke>, number>>(true);
const any = client.handle("h");
expectType<Equal<Awaited<typeof any>, unknown>>(true);
for await (const item of any.stream()) expectType<Equal<typeof item, StreamedEvent<SomeEvent>>>(true);
// G10 events to send: plain, checked where they are named, instances
joke.sendEvent({ type: "GotName", name: "Ada" });
joke.sendEvent<GotName>({ type: "GotName", name: "Ada" });
joke.sendEvent(new GotName({ name: "Ada" }), { step: "named", key: "k" });
// G11 where a run stands narrows by status
const outcome: RunOutcome<number> = await joke.idle();
switch (outcome.status) {
  case "waiting": outcome.prompts[0]?.promptId.length; break;
  case "completed": outcome.result.toFixed(); break;
  default: outcome.error.code.length;
}
// G12 names
expectType<Equal<Awaited<ReturnType<typeof client.workflows>>, readonly ("joke" | "jokeClass" | "rated" | "open")[]>>(true);
client.runs({ workflow: ["joke", "rated"], status: "failed" });
client.runs({ waiting: true, labels: { customer: "c-1" }, createdAfter: new Date(), createdBefore: 0 });
for await (const run of client.eachRun({ workflow: "joke", pageSize: 10 })) run.labels["customer"]?.length;
client.run("joke", { topic: "x" }, { labels: { customer: "c-1" } });
client.resume("h", { key: "k" });
client.retry("h", { key: "k" });
expectType<Equal<ReturnType<typeof length.result>, Promise<number>>>(true);
// G13 without workflows, every name and any input
const loose = createClient({ baseUrl: "" });
loose.run("whatever", { a: 1 }).handlerId.length;
// G14 plain data of an event
expectType<Equal<EventData<NeedName>, { readonly type: "NeedName"; readonly question: string }>>(true);
expectType<Equal<EventData<Ask>["tone"], string>>(true);
// G15 the hook narrows by status
export function Shown() {
  const run = useRun(client, "joke", { handlerId: "h" });
  run.start({ topic: "x" }).length;
  if (run.status === "completed") expectType<Equal<typeof run.result, number>>(true);
  if (run.status === "idle") expectType<Equal<typeof run.handlerId, null>>(true);
  for (const { event } of run.events) if (event.type === "NeedName") event.question.length;
  run.prompts.map(({ promptId }) => run.answer(promptId, { name: "Ada" }));
}
export function Started() {
  useRun(client, "joke", { input: { topic: "x" }, handlerId: null, labels: { page: "home" }, keepEvents: 10 });
  useRun(client, "open", { input: {} });
}
export function Open() {
  useRun(client, "open").start();
}
// G16 promises of runs compose
const [first, second] = await Promise.all([client.run("joke", { topic: "x" }), client.run("rated", { topic: "x" })]);
expectType<Equal<[typeof first, (typeof second)["joke"]], [number, string]>>(true);
// G17 schedules: by the names and the inputs of the workflows
client.schedules.set("nightly", { workflow: "joke", input: { topic: "x" }, cron: "0 3 * * *" });
client.schedules.set("nightly", { workflow: "open", cron: "@daily", queue: "llm" });
client.run("joke", { topic: "x" }, { queue: "llm", queueKey: "t", priority: 1, dedupe: { key: "k", for: "1m" } });

// G16 the events that the client knows, in the stream of a class, whatever its steps list in `streams`
const known = createClient<typeof workflows, { Joke: typeof Joke; NeedName: typeof NeedName }>({ baseUrl: "/", events: { Joke, NeedName } });
for (const name of ["joke", "jokeClass", "rated"] as const) {
  for await (const { event } of known.run(name, { topic: "" }).stream()) if (event.type === "Joke") event.loud();
}
function Known(): void {
  const run = useRun(known, "jokeClass");
  for (const { event } of run.events) if (event.type === "Joke") event.loud();
  for (const { event } of run.prompts) if (event.type === "NeedName") event.question.trim();
}
void Known;
// G17 prompts of an outcome are typed by what the steps list
const stopped = await known.run("joke", { topic: "" }).idle();
if (stopped.status === "waiting") {
  const asked = stopped.prompts[0]?.event;
  if (asked?.type === "NeedName") expectType<Equal<typeof asked, NeedName>>(true);
}
