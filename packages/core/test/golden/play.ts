/** How the golden run is played: by the script that writes the files, and by the test that reads them. */
import type { Flow } from "../support/flows.js";
import { Golden } from "./workflow.js";

export const goldenFlow: Flow = {
  name: "golden",
  make: () => ({ workflow: new Golden() }),
  input: { parts: ["nut", "bolt", "void", "rod"], since: new Date(Date.UTC(2029, 4, 1)) },
  answer: () => ({ name: "nut", by: "Ada" }),
};
