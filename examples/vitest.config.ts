import { mergeConfig } from "vitest/config";
import { shared } from "../vitest.shared.js";

// Each example is a process of its own: the first one on a busy machine takes seconds to start.
export default mergeConfig(shared, { test: { include: ["**/*.test.ts"], testTimeout: 120_000 } });
