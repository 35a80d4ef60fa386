/** For the program of the README: this package is its sources, and port 8080 is any free one, which is printed. */
import "./source.mjs";
import { registerHooks } from "node:module";
import { Server } from "node:net";

const own = new URL("../../src/index.ts", import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "@millrace/server"
      ? { url: own, format: "module-typescript", shortCircuit: true }
      : next(specifier, context),
});

const { listen } = Server.prototype;
Server.prototype.listen = function (port, ...rest) {
  this.once("listening", () => console.log(`port ${this.address().port}`));
  return listen.call(this, port === 8080 ? 0 : port, ...rest);
};
