/** What the builds of the packages have in common. */
import type { Options } from "tsup";

/** Six sevenths of the time of a build. `npm test` leaves them out, with `JS_ONLY=1`: nothing in it reads them, but CI does. */
export function declarations(more: { entry?: Record<string, string> } = {}): Options["dts"] {
  return process.env["JS_ONLY"] === "1" ? false : { tsconfig: "tsconfig.build.json", ...more };
}
