import { mergeConfig } from "vitest/config";
import { shared } from "../../vitest.shared.js";

// Every file has a server of its own: one at a time is enough for a small machine.
export default mergeConfig(shared, { test: { maxWorkers: 1 } });
