/** Which source files some work passes through, by the functions that V8 says were called. */
import { Session } from "node:inspector/promises";

/** Names of the files of `src`, sorted, in which a function was called while `work` ran. */
export async function walkedFiles(work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await session.post("Profiler.takePreciseCoverage"); // what ran before counts no more
    await work();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const walked = result.filter(({ functions }) => functions.some(isCalled)).flatMap(({ url }) => sourceOf(url));
    return [...new Set(walked)].sort();
  } finally {
    session.disconnect();
  }
}

interface CalledFunction {
  readonly functionName: string;
  readonly ranges: readonly { readonly count: number }[];
}

/** Without functions that the test runner adds, which have no name. */
function isCalled({ functionName, ranges }: CalledFunction): boolean {
  return functionName !== "" && (ranges[0]?.count ?? 0) > 0;
}

function sourceOf(url: string): string[] {
  const [, name] = /packages\/core\/src\/(.+\.ts)/.exec(url) ?? [];
  return name === undefined ? [] : [name];
}
