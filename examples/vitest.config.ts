import { mergeConfig } from "vitest/config";
import { shared } from "../vitest.shared.js";

/** They need frameworks that are not installed here: the matrix tries them, in empty folders. */
const standAlone = ["apps/{chat-hono-vite,chat-next,nestjs}/**"];

export default mergeConfig(shared, { test: { include: ["**/*.test.ts"], exclude: standAlone } });
