/**
 * Lets Node run the sources as they are: their imports name the `.js` files of the build. With `NODE_COMPILE_CACHE`, a process
 * that is killed keeps what it has compiled, too.
 */
import { flushCompileCache, registerHooks } from "node:module";

setTimeout(flushCompileCache, 500).unref();

registerHooks({
  resolve(specifier, context, next) {
    const isSource = specifier.startsWith(".") && !context.parentURL?.includes("/node_modules/");
    if (!isSource || !context.parentURL?.endsWith(".ts")) return next(specifier, context);
    return next(specifier.replace(/\.js$/, ".ts"), context);
  },
});
