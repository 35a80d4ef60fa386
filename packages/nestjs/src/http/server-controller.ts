import { All, Controller, Inject, Req, Res, type Type, UseGuards, VERSION_NEUTRAL } from "@nestjs/common";
import type { MillraceStaticOptions } from "../options.js";
import { ServerDoor } from "./server-door.js";

export interface ServerController {
  readonly controller: Type;
  /** Takes every path below its own. To be called before the application makes its routes, each kind of which has its own wildcard. */
  takeAll(adapter: string): void;
}

/** A controller that leaves requests to the server. Decorators are called, because their options are not constants. */
export function serverController(path: string, guards: NonNullable<MillraceStaticOptions["guards"]>): ServerController {
  class MillraceController {
    readonly #door: ServerDoor;

    constructor(door: ServerDoor) {
      this.#door = door;
    }

    serve(...[request, response]: Parameters<ServerDoor["handle"]>): Promise<void> {
      return this.#door.handle(request, response);
    }
  }
  const { prototype } = MillraceController;
  const serve = Object.getOwnPropertyDescriptor(prototype, "serve") as TypedPropertyDescriptor<unknown>;
  Controller({ path, version: VERSION_NEUTRAL })(MillraceController);
  Inject(ServerDoor)(MillraceController, undefined, 0);
  Req()(prototype, "serve", 0);
  Res()(prototype, "serve", 1);
  UseGuards(...guards)(MillraceController);
  const takeAll = (adapter: string): void => {
    All(["", adapter === "fastify" ? "*" : "*path"])(prototype, "serve", serve);
  };
  return { controller: MillraceController, takeAll };
}
