/** Lets Node run the sources as they are: their imports name the `.js` files of the build. */
import { registerHooks } from "node:module";

registerHooks({
  resolve(specifier, context, next) {
    const isSource = specifier.startsWith(".") && !context.parentURL?.includes("/node_modules/");
    if (!isSource || !context.parentURL?.endsWith(".ts")) return next(specifier, context);
    return next(specifier.replace(/\.js$/, ".ts"), context);
  },
});
