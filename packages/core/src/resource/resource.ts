import { optionalModules } from "../engine/optional-modules.js";
import { checkOptionNames } from "../value/known-options.js";
import { checkResources } from "./check-resources.js";
import type { Needed, Resolved, Resource, ResourceDefinition, ResourceMap, ResourceOptions } from "./resource.types.js";
import { ResourceContainer, type ResourceFeature } from "./resource-container.js";

/**
 * Declares something that is made when a step first needs it, once per scope, and disposed when the scope ends.
 *
 * @example
 * const database = resource("database", () => openDatabase(), { scope: "app", dispose: (db) => db.close() });
 */
export function resource<Value, Needs extends ResourceMap = {}>(
  name: string,
  factory: (resources: Resolved<Needs>) => Value | Promise<Value>,
  options: ResourceOptions<Value, Needs> = {},
): Resource<Value> {
  checkOptionNames("resource", options);
  optionalModules.resources = feature;
  const { scope = "workflow", dispose } = options;
  const made: ResourceDefinition = {
    name,
    scope,
    dispose: dispose as ResourceDefinition["dispose"],
    factory: factory as ResourceDefinition["factory"],
    get needs() {
      return Object.entries(options.resources ?? {}) as unknown as Needed;
    },
    override: (value) => ({ resource: made as unknown as Resource, value }),
  };
  return made as unknown as Resource<Value>;
}

/** Of the scope `app`, for workflows without a runtime. */
const shared = /* @__PURE__ */ new ResourceContainer("app");

const feature: ResourceFeature = {
  open: (scope, parent, options) => new ResourceContainer(scope, parent ?? shared, options),
  check: checkResources,
};
