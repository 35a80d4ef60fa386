/**
 * `@millrace/server/agui`: workflows, agents and pipelines over AG-UI. It needs `@ag-ui/core` and `@ag-ui/encoder`.
 *
 * @module
 */
export { aguiHandler } from "./agui/agui-handler.js";
export type { AguiHandler, AguiOptions, AguiWorkflow } from "./agui/agui-handler.js";
export type { AguiInput, AguiTurn } from "./agui/run-input.js";
export type { ShowEvent, ShownCustom } from "./agui/run-view.js";
export type { ShownActivity } from "./agui/event-writer.js";
