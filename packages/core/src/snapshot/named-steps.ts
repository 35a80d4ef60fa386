/** The steps that a snapshot refers to. */
import { Reader } from "./reader.js";

/**
 * Names of all steps by which something in the snapshot is routed, counted or kept, each once. Past facts do not count: which step
 * failed, which had no batch.
 *
 * @param known Steps of the workflow: buffers of `collectEvents` have their names.
 */
export function namedSteps(snapshot: Reader, known: Iterable<string>): Set<string> {
  const names = new Set<string>();
  for (const item of readers(snapshot, "items")) {
    names.add(item.text("step"));
    addHandlers(names, item);
  }
  for (const scope of readers(snapshot, "scopes")) {
    for (const name of [scope.text("opener"), ...scope.texts("collects")]) names.add(name);
    for (const gathered of readers(scope, "gathered")) {
      names.add(gathered.text("step"));
      for (const arrival of readers(gathered, "arrivals")) addHandlers(names, arrival);
    }
    addJoins(names, scope);
  }
  addJoins(names, snapshot);
  for (const parcel of readers(snapshot, "inbox")) addParcel(names, parcel);
  for (const timer of readers(snapshot, "timers"))
    if (timer.raw("kind") === "send") addParcel(names, new Reader(timer.raw("parcel"), timer.at("parcel")));
  const steps = [...known];
  for (const set of snapshot.array("sets")) {
    const key = Array.isArray(set) ? String(set[0]) : "";
    if (!steps.some((step) => key.startsWith(`${step}:`))) names.add(key.replace(/:.*$/s, ""));
  }
  return names;
}

function readers(reader: Reader, name: string): Reader[] {
  return reader.each(name, (each) => each);
}

function addJoins(names: Set<string>, reader: Reader): void {
  for (const join of readers(reader, "joins")) {
    names.add(join.text("step"));
    for (const parcel of readers(join, "arrivals")) addParcel(names, parcel);
  }
}

function addParcel(names: Set<string>, parcel: Reader): void {
  const step = parcel.nullable("step", (name) => parcel.text(name));
  if (step !== null) names.add(step);
  addHandlers(names, parcel);
}

/** Error handlers with a counted budget: under another name, the budget would start again. */
function addHandlers(names: Set<string>, reader: Reader): void {
  const recoveries = reader.raw("recoveries");
  if (typeof recoveries === "object" && recoveries !== null)
    for (const handler of Object.keys(recoveries)) names.add(handler);
}
