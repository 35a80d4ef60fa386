/** Other agents, from the packed tarballs, installed by npm in an empty folder. */
import { filesOf, rowOf } from "./setup.mjs";

const packages = "millrace @millrace/a2a @millrace/server @a2a-js/sdk@1 @hono/node-server@2 zod";

export function a2aRows() {
  const rowOn = (major) => {
    const commands = [`npm install --no-audit --no-fund ${packages}`, `node a2a.mjs # ${major}: Hello, Ada!`];
    return rowOf({ name: "other agents", files: filesOf("a2a"), commands }, major);
  };
  return [rowOn(22), rowOn(24)];
}
