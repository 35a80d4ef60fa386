import { defineConfig } from "vitest/config";

/** Vite compiles decorators only as TypeScript had them first; steps are the same with both. */
export default defineConfig({ oxc: { decorator: { legacy: true } } });
